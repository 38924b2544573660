import { create } from '@bufbuild/protobuf';
import { CARD_BRANDS } from '@gerbang/core';
import { CancelType, PaymentSchema, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { ChargebackSchema, ChargebackStage, ChargebackStatus } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { CycleSchema, CycleStatus, PlanInterval, PlanSchema, PlanStatus } from '@gerbang/proto/gerbang/cards/v1/plans';
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

export const PLAN_STATUSES = [
  PlanStatus.PENDING,
  PlanStatus.ACTIVE,
  PlanStatus.PAUSED,
  PlanStatus.PAST_DUE,
  PlanStatus.CANCELLED,
  PlanStatus.COMPLETED,
];

export const CYCLE_STATUSES = [
  CycleStatus.SCHEDULED,
  CycleStatus.PROCESSING,
  CycleStatus.SUCCESS,
  CycleStatus.FAILED,
  CycleStatus.RETRYING,
];

export const plan = (status: PlanStatus) =>
  fc
    .record({
      planId: ulid,
      accountId: ulid,
      name: text,
      status: fc.constant(status),
      amountSen: sen,
      interval: fc.constantFrom(PlanInterval.DAY, PlanInterval.WEEK, PlanInterval.MONTH),
      intervalCount: fc.integer({ min: 1, max: 365 }),
      totalCycles: fc.integer({ min: 0, max: 9_999 }),
      paidCycles: fc.integer({ min: 0, max: 9_999 }),
      startAtMs: at,
      next: maybe(at),
      maskedCard: fc.tuple(digits(6, 6), digits(4, 4)).map(([first, last]) => `${first}******${last}`),
      brand: fc.constantFrom(...CARD_BRANDS),
      cardHolderName: text,
      cardExpiry: fc.constantFrom('01/30', '12/39'),
      customer: fc.record({ name: text, email: text, phone: text }),
      redirectUrl: text,
      paymentUrl: text,
      createdAtMs: at,
      ended: maybe(at),
      endedReason: fc.constantFrom('', 'merchant', 'declined', 'not_authenticated', 'completed'),
    })
    .map(({ next, ended, ...fields }) =>
      create(PlanSchema, {
        ...fields,
        ...(next !== undefined && { nextChargeAtMs: next }),
        ...(ended !== undefined && { endedAtMs: ended }),
      }),
    );

export const cycle = (status: CycleStatus) =>
  fc
    .record({
      planId: ulid,
      cycle: fc.integer({ min: 1, max: 9_999 }),
      status: fc.constant(status),
      amountSen: sen,
      dueAtMs: at,
      cardTransactionId: fc.oneof(
        fc.constant(''),
        ulid.map((id) => `99${id}`),
      ),
      attempts: fc.integer({ min: 0, max: 9 }),
      retry: maybe(at),
      failedCode: text,
      failedReason: text,
      processed: maybe(at),
    })
    .map(({ retry, processed, ...fields }) =>
      create(CycleSchema, {
        ...fields,
        ...(retry !== undefined && { nextRetryAtMs: retry }),
        ...(processed !== undefined && { processedAtMs: processed }),
      }),
    );

export const CHARGEBACK_STATUSES = [ChargebackStatus.OPEN, ChargebackStatus.WON, ChargebackStatus.LOST];

export const chargeback = (status: ChargebackStatus) =>
  fc
    .record({
      id: ulid,
      accountId: ulid,
      cardTransactionId: ulid.map((id) => `99${id}`),
      status: fc.constant(status),
      stage: fc.constantFrom(ChargebackStage.CHARGEBACK, ChargebackStage.PRE_ARBITRATION),
      amountSen: sen,
      reservedSen: sen,
      feeSen: sen,
      reasonCode: text,
      reason: text,
      respond: maybe(at),
      createdAtMs: at,
      ended: maybe(at),
      merchantReffNo: text,
    })
    .map(({ respond, ended, ...fields }) =>
      create(ChargebackSchema, {
        ...fields,
        ...(respond !== undefined && { respondByMs: respond }),
        ...(ended !== undefined && { endedAtMs: ended }),
      }),
    );
