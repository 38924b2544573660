import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import { CancelType, CardTransactionEventSchema, type PaymentSchema, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { CardDecisionEventSchema } from '@gerbang/proto/gerbang/cards/v1/operators';
import type { NewEvent } from '@gerbang/store';
import { type Decision, isAuthorised, isCaptured, type PaymentOrder, type PaymentState, type Published } from './state.ts';

type Shown = { order: PaymentOrder; state: PaymentState };

export function toPaymentMessage({ order, state }: Shown): MessageInitShape<typeof PaymentSchema> {
  const authorisation = isAuthorised(state) ? state.authorisation : undefined;
  const capture = isCaptured(state) ? state.capture : undefined;
  const cancelType = cancelTypeOf(state);
  return {
    id: order.id,
    merchantId: order.merchantId,
    accountId: order.accountId,
    status: statusOf(state),
    amountSen: order.amountSen,
    maskedCard: order.maskedCard,
    brand: order.brand,
    cardHolderName: order.cardHolderName,
    installment: order.installment,
    installmentMonths: order.installmentMonths,
    customer: order.customer,
    merchantReffNo: order.merchantReffNo,
    redirectUrl: order.redirectUrl,
    ...toChallenge(state),
    ...(authorisation && {
      feeSen: authorisation.fees.feeSen,
      netSen: authorisation.fees.netSen,
      mdrBasisPoints: authorisation.fees.basisPoints,
      processedAtMs: BigInt(authorisation.authorisedAtMs),
    }),
    ...((state.status === 'failed' || state.status === 'releasing') && {
      failedCode: state.code,
      failedReason: state.reason,
      processedAtMs: BigInt(state.endedAtMs),
    }),
    ...(capture && {
      capturedAtMs: BigInt(capture.capturedAtMs),
      settleAtMs: BigInt(capture.settledAtMs ?? capture.settleAtMs),
      hasSettled: capture.settledAtMs !== undefined,
    }),
    cancelType,
    ...(cancelType !== CancelType.UNSPECIFIED && 'endedAtMs' in state && { cancelledAtMs: BigInt(state.endedAtMs) }),
    createdAtMs: BigInt(order.createdAtMs),
  };
}

/** Where the customer is authenticated: an address, or a form for the issuer who takes customers by POST only. */
export function toChallenge(state: PaymentState): Pick<MessageInitShape<typeof PaymentSchema>, 'paymentUrl' | 'paymentForm'> {
  if (state.status !== 'challenging') return { paymentUrl: '' };
  const { url, fields } = state;
  return fields === undefined ? { paymentUrl: url } : { paymentUrl: '', paymentForm: { url, fields: [...fields] } };
}

export function toPaymentEvent(shown: Shown, type: Published, atMs: number): NewEvent<EventType<'cards'>> {
  const message = create(CardTransactionEventSchema, { payment: toPaymentMessage(shown) });
  return { type, schema: 1, payload: toBinary(CardTransactionEventSchema, message), atMs };
}

/** What operators have decided, for the timeline; no merchant is notified of it. */
export function toDecisionEvent(paymentId: string, decision: Decision, atMs: number): NewEvent<EventType<'cards'>> {
  const message = create(CardDecisionEventSchema, { paymentId, decision: { ...decision, atMs: BigInt(atMs) } });
  return { type: 'card-transaction.decided', schema: 1, payload: toBinary(CardDecisionEventSchema, message), atMs };
}

/** A cancel that is under way changes no status: it may still be refused. */
export function statusOf({ status }: PaymentState): PaymentStatus {
  switch (status) {
    case 'created':
    case 'challenging':
      return PaymentStatus.PENDING;
    case 'authorising':
      return PaymentStatus.PROCESSING;
    case 'authorised':
    case 'capturing':
    case 'voiding':
    case 'crediting':
    case 'captured':
    case 'settling':
    case 'settled':
    case 'reserving':
    case 'refunding':
    case 'returning':
    case 'withdrawing':
    case 'contested':
    case 'written-off':
      return PaymentStatus.SUCCESS;
    case 'cancelled':
      return PaymentStatus.CANCELLED;
    case 'refunded':
    case 'withdrawn':
      return PaymentStatus.REFUNDED;
    case 'failed':
    case 'releasing':
      return PaymentStatus.FAILED;
    default:
      return status satisfies never;
  }
}

function cancelTypeOf({ status }: PaymentState): CancelType {
  if (status === 'cancelled') return CancelType.VOID;
  return status === 'refunded' || status === 'withdrawn' ? CancelType.REFUND : CancelType.UNSPECIFIED;
}
