import { create } from '@bufbuild/protobuf';
import { CARD_BRANDS } from '@gerbang/core';
import { CancelType, PaymentSchema, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import fc from 'fast-check';
import { at, digits, maybe, sen, text, ulid } from './protos.ts';

// Payments by card as they can be, as protos.ts has the messages of the other products.

export const PAYMENT_STATUSES = [
  PaymentStatus.PENDING,
  PaymentStatus.PROCESSING,
  PaymentStatus.SUCCESS,
  PaymentStatus.FAILED,
  PaymentStatus.CANCELLED,
  PaymentStatus.REFUNDED,
];

const feeSen = maybe(fc.bigInt({ min: 0n, max: 999_999n }));

export const payment = (status: PaymentStatus) =>
  fc
    .record({
      id: ulid.map((id) => `99${id}`),
      accountId: ulid,
      status: fc.constant(status),
      amountSen: sen,
      maskedCard: fc.tuple(digits(6, 6), digits(4, 4)).map(([first, last]) => `${first}******${last}`),
      brand: fc.constantFrom(...CARD_BRANDS),
      cardHolderName: text,
      installment: fc.constantFrom(1, 2),
      installmentMonths: fc.constantFrom(1, 3, 6, 12),
      customer: fc.record({ name: text, email: text, phone: text }),
      merchantReffNo: text,
      redirectUrl: text,
      paymentUrl: text,
      fee: feeSen,
      net: sen,
      failedCode: text,
      failedReason: text,
      cancelType: fc.constantFrom(CancelType.UNSPECIFIED, CancelType.VOID, CancelType.REFUND),
      createdAtMs: at,
      processed: maybe(at),
      captured: maybe(at),
      settle: maybe(at),
      cancelled: maybe(at),
      hasSettled: fc.boolean(),
      mdrBasisPoints: fc.integer({ min: 0, max: 10_000 }),
    })
    .map(({ fee, net, processed, captured, settle, cancelled, ...fields }) =>
      create(PaymentSchema, {
        ...fields,
        ...(fee !== undefined && { feeSen: fee, netSen: net }),
        ...(processed !== undefined && { processedAtMs: processed }),
        ...(captured !== undefined && { capturedAtMs: captured }),
        ...(settle !== undefined && { settleAtMs: settle }),
        ...(cancelled !== undefined && { cancelledAtMs: cancelled }),
      }),
    );
