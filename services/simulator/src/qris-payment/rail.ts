import { decodeQris, isRefusal, toMoney } from '@gerbang/core';
import { TOLD_AS } from '../bank-transfer/payouts.ts';
import type { Context } from '../context.ts';
import { type Between, newRow, type Row } from '../history/row.ts';
import type { BookItem, SimulatedRail } from '../simulated-rail.ts';
import { QR_DECODE, qrDecode } from './decode.ts';
import { QR_PAYMENT, qrPayment } from './payment.ts';
import { QR_REFUND, qrRefund } from './refund.ts';

/** The acquirer over which codes are paid; 51 and 77 are with the codes that it makes. */
export const qrisPaymentRail: SimulatedRail = {
  routes: [
    { method: 'POST', url: '/v1.0/qr/qr-mpm-decode', handler: qrDecode, service: QR_DECODE },
    { method: 'POST', url: '/v1.0/qr/qr-mpm-payment', handler: qrPayment, service: QR_PAYMENT },
    { method: 'POST', url: '/v1.0/qr/qr-mpm-refund', handler: qrRefund, service: QR_REFUND },
  ],
  books: { qris: codesPaid },
  histories: { 'qris-issuer': { rail: 'qris', rows: tellCodesPaid } },
};

async function* codesPaid({ qrisBooks }: Context): AsyncGenerator<BookItem> {
  for await (const entry of qrisBooks.all()) {
    yield {
      reference_number: entry.merchantReference,
      transaction_id: entry.transactionId,
      direction: 'out',
      amount: toMoney(entry.amountSen),
      status: entry.status,
    };
  }
}

async function tellCodesPaid({ qrisBooks }: Context, { fromMs, toMs }: Between): Promise<Row[]> {
  const settled = await qrisBooks.between('settled', fromMs, toMs);
  const reversed = await qrisBooks.between('reversed', fromMs, toMs);
  const rowOf = (entry: (typeof settled)[number], of: Pick<Row, 'atMs' | 'direction' | 'status'>) => {
    const words = [of.status === 'correction' ? 'KOREKSI QRIS' : 'QRIS', entry.rrn, merchantNameIn(entry.payload)];
    return newRow(`qris-issuer:${entry.partnerReference}:${of.status}`, words, { ...of, amountSen: entry.amountSen });
  };
  return [
    ...settled.map((entry) => rowOf(entry, { atMs: entry.settlesAtMs, direction: 'out', status: TOLD_AS[entry.status] })),
    ...reversed.map((entry) => rowOf(entry, { atMs: entry.reversedAtMs ?? 0, direction: 'in', status: 'correction' })),
  ];
}

function merchantNameIn(payload: string): string {
  const code = decodeQris(payload);
  return isRefusal(code) ? '' : code.merchantName;
}
