import type { CallingRail } from '@gerbang/core';
import type { z } from 'zod';
import type { RailCall } from './call.ts';
import { cardNotify } from './card-notify.ts';
import { chargebackNotify, chargebackNotifySchema } from './chargeback-notify.ts';
import type { RailsContext } from './context.ts';
import { debitNotify, debitNotifySchema } from './debit-notify.ts';
import { chargeNotify, unbindingNotify, unbindingNotifySchema } from './direct-debit-notify.ts';
import type { RailPartner } from './partners.ts';
import { qrNotify, qrNotifySchema } from './qr-notify.ts';
import { FEATURE_NOT_ALLOWED, readFields, type SnapAnswer } from './snap.ts';
import { transferNotify, transferNotifySchema } from './transfer-notify.ts';
import { inquireRetailCode, inquireVirtualAccount, vaInquirySchema } from './va-inquiry.ts';
import { payRetailCode, payVirtualAccount, vaPaymentSchema } from './va-payment.ts';

/** What answers a call whose body the schema has read. */
type Target<Body> = (context: RailsContext, call: RailCall<Body>) => Promise<SnapAnswer>;

/** A signed service of SNAP as the listener runs it. */
export type RailsService = {
  path: string;
  /** SNAP's two digits, in the middle of each responseCode. */
  code: string;
  answer(context: RailsContext, partner: RailPartner, text: string): Promise<SnapAnswer>;
};

/**
 * Every service that rails may call, and what answers which rail; a rail that a service does not name may not call it. All are
 * POST, as SNAP has them.
 */
export const RAILS_SERVICES: readonly RailsService[] = [
  service({
    path: '/v1.0/transfer-va/inquiry',
    code: '24',
    schema: vaInquirySchema,
    targets: { va: inquireVirtualAccount, retail: inquireRetailCode },
  }),
  service({
    path: '/v1.0/transfer-va/payment',
    code: '25',
    schema: vaPaymentSchema,
    targets: { va: payVirtualAccount, retail: payRetailCode },
  }),
  service({
    path: '/v1.0/transfer-interbank/notify',
    code: '18',
    schema: transferNotifySchema,
    targets: { 'bank-transfer': transferNotify },
  }),
  service({
    path: '/v1.0/cardless-withdrawal/notify',
    code: '94',
    schema: transferNotifySchema,
    targets: { cardless: transferNotify },
  }),
  service({ path: '/v1.0/qr/qr-mpm-notify', code: '52', schema: qrNotifySchema, targets: { qris: qrNotify } }),
  service({
    path: '/v1.0/qr/qr-mpm-payment/notify',
    code: '50',
    schema: transferNotifySchema,
    targets: { qris: transferNotify },
  }),
  service({
    path: '/v1.0/debit/notify',
    code: '56',
    schema: debitNotifySchema,
    targets: { ewallet: debitNotify, 'direct-debit': chargeNotify, card: cardNotify },
  }),
  service({
    path: '/v1.0/registration-account-unbinding/notify',
    code: '09',
    schema: unbindingNotifySchema,
    targets: { 'direct-debit': unbindingNotify },
  }),
  // Of our own shape: SNAP knows no chargebacks.
  service({
    path: '/v1.0/card/chargeback-notify',
    code: '99',
    schema: chargebackNotifySchema,
    targets: { card: chargebackNotify },
  }),
];

function service<S extends z.ZodType>(row: {
  path: string;
  code: string;
  schema: S;
  targets: Partial<Record<CallingRail, Target<z.output<S>>>>;
}): RailsService {
  return {
    path: row.path,
    code: row.code,
    async answer(context, partner, text) {
      const body = readFields(text, row.schema);
      const target = row.targets[partner.rail];
      return target === undefined ? FEATURE_NOT_ALLOWED : target(context, { partner, body });
    },
  };
}
