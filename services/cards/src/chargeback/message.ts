import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  type CaseSchema,
  ChargebackEventSchema,
  type ChargebackSchema,
  ChargebackStage,
  ChargebackStatus,
} from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import type { NewEvent } from '@gerbang/store';
import { type ChargebackOrder, type ChargebackPublished, type ChargebackState, reserveOf } from './state.ts';

type Shown = { order: ChargebackOrder; state: ChargebackState };

const STATUSES = { won: ChargebackStatus.WON, lost: ChargebackStatus.LOST } as const;
const OPEN = ['unmatched', 'opened', 'reserving', 'reserved', 'restoring', 'forfeiting'] as const;

export function toChargebackMessage({ order, state }: Shown): MessageInitShape<typeof ChargebackSchema> {
  const isOver = state.status === 'won' || state.status === 'lost';
  return {
    id: order.id,
    merchantId: order.merchantId,
    accountId: order.accountId,
    cardTransactionId: order.merchantId === '' ? '' : order.reference,
    status: isOver ? STATUSES[state.status] : ChargebackStatus.OPEN,
    stage: order.stage === 'chargeback' ? ChargebackStage.CHARGEBACK : ChargebackStage.PRE_ARBITRATION,
    amountSen: order.amountSen,
    ...reserveOf(state),
    reasonCode: order.reasonCode,
    reason: order.reason,
    ...(order.respondByMs !== undefined && { respondByMs: BigInt(order.respondByMs) }),
    createdAtMs: BigInt(order.createdAtMs),
    ...(isOver && { endedAtMs: BigInt(state.endedAtMs) }),
    merchantReffNo: order.merchantReffNo,
  };
}

export function toCaseMessage({ order, state }: Shown): MessageInitShape<typeof CaseSchema> {
  return {
    chargeback: toChargebackMessage({ order, state }),
    caseId: order.caseId,
    reference: order.reference,
    step: state.status,
    waitingFor: state.status === 'opened' ? state.waitingFor : '',
  };
}

export function toChargebackEvent(shown: Shown, type: ChargebackPublished, atMs: number): NewEvent<EventType<'cards'>> {
  const message = create(ChargebackEventSchema, { chargeback: toChargebackMessage(shown) });
  return { type, schema: 1, payload: toBinary(ChargebackEventSchema, message), atMs };
}

/** The stored statuses behind a filter; undefined for all. */
export function storedStatusesOf(status: ChargebackStatus): readonly ChargebackState['status'][] | undefined {
  switch (status) {
    case ChargebackStatus.UNSPECIFIED:
      return undefined;
    case ChargebackStatus.OPEN:
      return OPEN;
    case ChargebackStatus.WON:
      return ['won'];
    case ChargebackStatus.LOST:
      return ['lost'];
    default:
      return status satisfies never;
  }
}
