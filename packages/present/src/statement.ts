import { type Money, toMoney } from '@gerbang/core';
import { type Entry, EntryType, type Settlement } from '@gerbang/proto/gerbang/ledger/v1/ledger';

const types = { credit: EntryType.CREDIT, debit: EntryType.DEBIT } as const;

/** An entry of a statement as the merchant's API shows it; `amount` is what the available balance changed by (contract §4). */
export function presentEntry(entry: Entry): Record<string, string | Money | null> {
  return {
    id: entry.id,
    account_id: entry.accountId,
    type: typeOf(entry),
    amount: toMoney(entry.amountSen),
    fee: toMoney(entry.feeSen),
    balance_after: toMoney(entry.balanceAfterSen),
    product: entry.product,
    transaction_id: textOf(entry.transactionId),
    reference_number: textOf(entry.referenceNumber),
    description: textOf(entry.description),
    posted_at: iso(entry.postedAtMs),
  };
}

/** The type of this name, for list filters. */
export function entryTypeOf(name: keyof typeof types): EntryType {
  return types[name];
}

/** Money in that has settled, as the merchant's API shows it (contract §5). */
export function presentSettlement(settlement: Settlement): Record<string, string | Money | null> {
  return {
    id: settlement.id,
    account_id: settlement.accountId,
    product: settlement.product,
    transaction_id: textOf(settlement.transactionId),
    reference_number: textOf(settlement.referenceNumber),
    amount: toMoney(settlement.amountSen),
    fee: toMoney(settlement.feeSen),
    net_amount: toMoney(settlement.netAmountSen),
    settled_at: iso(settlement.settledAtMs),
  };
}

function typeOf({ id, type }: Entry): string {
  switch (type) {
    case EntryType.CREDIT:
      return 'credit';
    case EntryType.DEBIT:
      return 'debit';
    case EntryType.UNSPECIFIED:
      throw new Error(`the entry ${id} has no type`);
    default:
      return type satisfies never;
  }
}

function textOf(text: string): string | null {
  return text === '' ? null : text;
}

function iso(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}
