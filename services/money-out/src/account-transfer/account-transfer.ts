import type { Quota } from '../transfer/quota.ts';

/** The name of the product in documents, in merchants' lists of products and limits, and on statements. */
export const ACCOUNT_TRANSFER = 'account-transfer' as const;

/** What a merchant asked for; never changes. Sen, Unix milliseconds of business time. */
export type AccountTransferOrder = {
  transactionId: string;
  merchantId: string;
  partition: string;
  /** The source: references are unique among its transactions. */
  accountId: string;
  destinationAccountId: string;
  referenceNumber: string;
  /** Of the validated content, to distinguish a repetition from another order under the same reference. */
  contentHash: string;
  amountSen: bigint;
  /** What it counts against; undefined where operators have set nothing. */
  quota: Quota | undefined;
  note: string;
  createdAtMs: number;
};

/**
 * `balanceAfterSen`: available balance of the source right after the posting. `possibleDuplicateOf`: the reference of an earlier
 * order of the same payment (contract §6).
 */
type Completion = { balanceAfterSen: bigint; possibleDuplicateOf: string | undefined; processedAtMs: number };

/**
 * A transfer between two accounts of a merchant as a pure decider: created → succeeded. `created` is not yet accepted: the ledger
 * may still refuse its posting, and then it vanishes. One posting moves both accounts, so there is nothing in between.
 */
export type AccountTransferState = { status: 'created' } | ({ status: 'succeeded' } & Completion);

export type AccountTransferCommand =
  /** The ledger has moved the money. */
  { type: 'succeed' } & Omit<Completion, 'processedAtMs'>;

export type AccountTransferEvent = { type: 'succeeded' } & Completion;

/** Decides a command. An empty list: it has been done before. */
export function decide(state: AccountTransferState, command: AccountTransferCommand, nowMs: number): AccountTransferEvent[] {
  switch (state.status) {
    case 'created':
      return [{ ...command, type: 'succeeded', processedAtMs: nowMs }];
    case 'succeeded':
      return [];
    default:
      return state satisfies never;
  }
}

/** The state after an event. */
export function evolve(_state: AccountTransferState, event: AccountTransferEvent): AccountTransferState {
  const { type: _, ...completion } = event;
  return { status: 'succeeded', ...completion };
}
