import type { Kind } from '../payment-request/kind.ts';
import { narrowTo } from '../payment-request/request.ts';
import { fromTipIndicator, toTipIndicator } from './message.ts';
import { asQris, QRIS, type QrisDetails } from './qris.ts';

/** The details as they are stored; the tip's indicator is the number of the contract between services. */
type QrisDocument = {
  kind: typeof QRIS;
  qr_data: string;
  tip_indicator: number;
  tip_value: bigint;
  acquirer_name: string;
  acquirer_nns: string;
};

const asStored = narrowTo<QrisDocument>(QRIS);

export const codec: Kind['codec'] = {
  toDocument(details): QrisDocument {
    const { kind, qrData, tip, acquirerName, acquirerNns } = asQris(details);
    return {
      kind,
      qr_data: qrData,
      tip_indicator: toTipIndicator(tip),
      tip_value: tip.value,
      acquirer_name: acquirerName,
      acquirer_nns: acquirerNns,
    };
  },
  fromDocument(document): QrisDetails {
    const { kind, qr_data, tip_indicator, tip_value, acquirer_name, acquirer_nns } = asStored(document);
    return {
      kind,
      qrData: qr_data,
      tip: { indicator: fromTipIndicator(tip_indicator), value: tip_value },
      acquirerName: acquirer_name,
      acquirerNns: acquirer_nns,
    };
  },
};
