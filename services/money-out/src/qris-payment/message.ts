import { create, toBinary } from '@bufbuild/protobuf';
import type { Qris } from '@gerbang/core';
import type { EventType } from '@gerbang/present';
import { type Transfer, TransferSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { QrisPaymentAcceptedSchema, QrisPaymentFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import { commonFields } from '../transfer/message.ts';
import type { PublishedKind, TransferOrder } from '../transfer/product.ts';
import type { TransferState } from '../transfer/state.ts';
import { readCode, type Terms } from './code.ts';
import { readDetails, readRrn } from './document.ts';
import type { Inquiry } from './inquiry.ts';

/** The payment of a code as the contract between services shows it. */
export function toMessage(order: TransferOrder, document: object, state: TransferState): Transfer {
  const { qrData, amountSen, tipSen } = readDetails(document);
  return create(TransferSchema, {
    ...commonFields(order, state),
    qrisPayment: {
      ...codeFields(qrData, { amountSen, tipSen }),
      rrn: rrnOf(document, state),
    },
  });
}

/** A code that was only inquired: nothing is held for it. */
export function toInquiryMessage(inquiry: Inquiry, terms: Terms, feeSen: bigint): Transfer {
  const { transactionId, referenceNumber, merchantId, accountId, createdAtMs, qrData } = inquiry;
  return create(TransferSchema, {
    transactionId,
    referenceNumber,
    merchantId,
    accountId,
    status: TransferStatus.INITIATED,
    amountSen: terms.amountSen === undefined ? 0n : terms.amountSen + terms.tipSen,
    feeSen,
    createdAtMs: BigInt(createdAtMs),
    qrisPayment: codeFields(qrData, terms),
  });
}

const TYPES = {
  accepted: 'qris-issuer.accepted',
  succeeded: 'qris-issuer.succeeded',
  failed: 'qris-issuer.failed',
  canceled: 'qris-issuer.canceled',
  refunded: 'qris-issuer.refunded',
} as const satisfies Record<PublishedKind, EventType<'money-out'>>;

/** The event of a payment, with its payload. */
export function toEvent(kind: PublishedKind, transfer: Transfer) {
  const payload =
    kind === 'accepted'
      ? toBinary(QrisPaymentAcceptedSchema, create(QrisPaymentAcceptedSchema, { transfer }))
      : toBinary(QrisPaymentFinishedSchema, create(QrisPaymentFinishedSchema, { transfer }));
  return { type: TYPES[kind], schema: 1, payload };
}

function codeFields(qrData: string, { amountSen = 0n, tipSen }: Terms) {
  const code = readCode(qrData);
  const { type, merchantName, merchantCity } = code;
  return { qrData, type, merchantName, merchantCity, amountSen, tipSen, ...tipRule(code) };
}

function tipRule({ tip }: Qris): { tipIndicator: string; tipValue: bigint } {
  switch (tip?.indicator) {
    case undefined:
      return { tipIndicator: '', tipValue: 0n };
    case 'input':
      return { tipIndicator: 'input', tipValue: 0n };
    case 'fixed':
      return { tipIndicator: 'fixed', tipValue: tip.amountSen };
    case 'percentage':
      return { tipIndicator: 'percentage', tipValue: BigInt(tip.basisPoints) };
    default:
      return tip satisfies never;
  }
}

function rrnOf(document: object, state: TransferState): string {
  if (state.status === 'succeeded') return state.receipt.rrn ?? state.railReference;
  return state.status === 'refunded' ? readRrn(document) || state.railReference : '';
}
