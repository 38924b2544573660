import type { Storable } from '@gerbang/core';
import type { AggregateDocument, Due } from '@gerbang/store';
import { type ChargebackOrder, type ChargebackState, type Reserve, reserveOf, type Stage } from './state.ts';

/** A chargeback as it was read, with the version that the next change is conditional on. */
export type StoredChargeback = { order: ChargebackOrder; state: ChargebackState; document: StoredChargebackDocument };

type StateFields = {
  status: ChargebackState['status'];
  tries?: number;
  waiting_for?: string;
  reserved_sen?: bigint;
  fee_sen?: bigint;
  ended_at?: Date;
};

/** `Storable`: what has a card in it does not compile here. */
export type ChargebackDocument = Storable<
  Due &
    StateFields & {
      account_id: string;
      partition: string;
      merchant_reff_no: string;
      reference: string;
      case_id: string;
      stage: Stage;
      amount_sen: bigint;
      reason_code: string;
      reason: string;
      respond_by?: Date;
      created_at: Date;
    }
>;

export type StoredChargebackDocument = AggregateDocument<ChargebackDocument>;

const STATE_FIELDS = ['tries', 'waiting_for', 'reserved_sen', 'fee_sen', 'ended_at'] as const;

export function newChargebackDocument(
  order: ChargebackOrder,
  state: ChargebackState,
  dueMs: number | undefined,
): ChargebackDocument {
  return {
    account_id: order.accountId,
    partition: order.partition,
    merchant_reff_no: order.merchantReffNo,
    reference: order.reference,
    case_id: order.caseId,
    stage: order.stage,
    amount_sen: order.amountSen,
    reason_code: order.reasonCode,
    reason: order.reason,
    ...(order.respondByMs !== undefined && { respond_by: new Date(order.respondByMs) }),
    created_at: new Date(order.createdAtMs),
    ...(dueMs !== undefined && { due_at: new Date(dueMs) }),
    ...toStateFields(state),
  };
}

/** The fields that make a document stand so, and those that it must not have any more. */
export function stateChange(state: ChargebackState, document: StoredChargebackDocument) {
  const set = toStateFields(state);
  return { set, unset: STATE_FIELDS.filter((field) => !(field in set) && field in document) };
}

function toStateFields(state: ChargebackState): StateFields {
  const { reservedSen, feeSen } = reserveOf(state);
  return {
    status: state.status,
    ...(state.status === 'opened' && { tries: state.tries, waiting_for: state.waitingFor }),
    ...('reserve' in state && { reserved_sen: reservedSen, fee_sen: feeSen }),
    ...('endedAtMs' in state && { ended_at: new Date(state.endedAtMs) }),
  };
}

export function fromChargebackDocument(document: StoredChargebackDocument): StoredChargeback {
  const order: ChargebackOrder = {
    id: document._id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    partition: document.partition,
    merchantReffNo: document.merchant_reff_no,
    reference: document.reference,
    caseId: document.case_id,
    stage: document.stage,
    amountSen: document.amount_sen,
    reasonCode: document.reason_code,
    reason: document.reason,
    respondByMs: document.respond_by?.getTime(),
    createdAtMs: document.created_at.getTime(),
  };
  return { order, state: toState(document), document };
}

function toState(document: StoredChargebackDocument): ChargebackState {
  const { status, tries = 0, waiting_for: waitingFor = '' } = document;
  switch (status) {
    case 'unmatched':
      return { status };
    case 'opened':
      return { status, tries, waitingFor };
    case 'reserving':
    case 'reserved':
    case 'restoring':
    case 'forfeiting':
      return { status, reserve: storedReserve(document) };
    case 'won':
    case 'lost':
      return { status, reserve: storedReserve(document), endedAtMs: must(document, document.ended_at).getTime() };
    default:
      return status satisfies never;
  }
}

function storedReserve(document: StoredChargebackDocument): Reserve {
  const { reserved_sen, fee_sen } = document;
  return { reservedSen: must(document, reserved_sen), feeSen: must(document, fee_sen) };
}

function must<T>({ _id, status }: StoredChargebackDocument, value: T | undefined): T {
  if (value === undefined) throw new Error(`chargeback ${_id} is ${status} and lacks a field`);
  return value;
}
