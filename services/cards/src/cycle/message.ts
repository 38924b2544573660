import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import { CycleEventSchema, type CycleSchema, CycleStatus } from '@gerbang/proto/gerbang/cards/v1/plans';
import type { NewEvent } from '@gerbang/store';
import type { CycleOrder, CyclePublished, CycleState } from './cycle.ts';

const STATUSES: Readonly<Record<CycleState['status'], CycleStatus>> = {
  processing: CycleStatus.PROCESSING,
  retrying: CycleStatus.RETRYING,
  failed: CycleStatus.FAILED,
  success: CycleStatus.SUCCESS,
};

type Shown = { order: CycleOrder; state: CycleState };

export function toCycleMessage({ order, state }: Shown): MessageInitShape<typeof CycleSchema> {
  return {
    ...orderFields(order),
    status: STATUSES[state.status],
    cardTransactionId: state.attempt.paymentId,
    attempts: state.attempts,
    ...(state.status === 'retrying' && { nextRetryAtMs: BigInt(state.retryAtMs) }),
    ...('failure' in state && { failedCode: state.failure.code, failedReason: state.failure.reason }),
    ...('endedAtMs' in state && { processedAtMs: BigInt(state.endedAtMs) }),
  };
}

/** One that is still to come, which is stored nowhere. */
export function toScheduledMessage(order: CycleOrder): MessageInitShape<typeof CycleSchema> {
  return { ...orderFields(order), status: CycleStatus.SCHEDULED };
}

function orderFields({ planId, cycle, amountSen, dueAtMs }: CycleOrder) {
  return { planId, cycle, amountSen, dueAtMs: BigInt(dueAtMs) };
}

export function toCycleEvent(shown: Shown, type: CyclePublished, atMs: number): NewEvent<EventType<'cards'>> {
  const message = create(CycleEventSchema, { cycle: toCycleMessage(shown) });
  return { type, schema: 1, payload: toBinary(CycleEventSchema, message), atMs };
}
