import { toMoney } from '@gerbang/core';
import { type Entry, EntryType, type Settlement } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { z } from 'zod';
import { Money, Timestamp, Ulid } from './schemas.ts';
import { textOrNull } from './text.ts';
import { iso } from './time.ts';

const types = { credit: EntryType.CREDIT, debit: EntryType.DEBIT } as const;

const entryId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .meta({ description: 'The same for ever; a settlement has the id of its statement entry.' });

const product = z
  .string()
  .meta({ description: 'The product that moved the money.', examples: ['virtual-account', 'disbursement'] });

export const entrySchema = z
  .strictObject({
    id: entryId,
    account_id: Ulid,
    type: z.enum(['credit', 'debit']),
    amount: Money.meta({ description: 'What the available balance changed by, without a sign.' }),
    fee: Money.meta({ description: 'The part of the amount that is a fee.' }),
    balance_after: Money.meta({ description: 'The available balance after the entry.' }),
    product,
    transaction_id: z.string().nullable(),
    reference_number: z.string().nullable().meta({ description: "The merchant's own reference, cut to 128 characters." }),
    description: z.string().nullable(),
    posted_at: Timestamp,
  })
  .meta({ id: 'StatementEntry', description: 'One change of the available balance.' });

/** Rows of CSV too: every field is a text, money or null. */
export type EntryJson = z.output<typeof entrySchema>;

/** An entry of a statement as the merchant's API shows it; `amount` is what the available balance changed by (contract §4). */
export function presentEntry(entry: Entry): EntryJson {
  return {
    id: entry.id,
    account_id: entry.accountId,
    type: typeOf(entry),
    amount: toMoney(entry.amountSen),
    fee: toMoney(entry.feeSen),
    balance_after: toMoney(entry.balanceAfterSen),
    product: entry.product,
    transaction_id: textOrNull(entry.transactionId),
    reference_number: textOrNull(entry.referenceNumber),
    description: textOrNull(entry.description),
    posted_at: iso(entry.postedAtMs),
  };
}

/** The type of this name, for list filters. */
export function entryTypeOf(name: keyof typeof types): EntryType {
  return types[name];
}

export const settlementSchema = z
  .strictObject({
    id: entryId,
    account_id: Ulid,
    product,
    transaction_id: z.string().meta({ description: 'The payment that has settled.' }),
    reference_number: z.string().nullable().meta({ description: "The merchant's own reference, cut to 128 characters." }),
    amount: Money.meta({ description: 'net_amount and fee: what the customer has paid.' }),
    fee: Money,
    net_amount: Money.meta({ description: 'What became available.' }),
    settled_at: Timestamp,
  })
  .meta({ id: 'SettlementTransaction', description: 'Money in that has become available.' });

/** Rows of CSV too, as those of a statement. */
export type SettlementJson = z.output<typeof settlementSchema>;

/** Money in that has settled, as the merchant's API shows it (contract §5). */
export function presentSettlement(settlement: Settlement): SettlementJson {
  return {
    id: settlement.id,
    account_id: settlement.accountId,
    product: settlement.product,
    transaction_id: settlement.transactionId,
    reference_number: textOrNull(settlement.referenceNumber),
    amount: toMoney(settlement.amountSen),
    fee: toMoney(settlement.feeSen),
    net_amount: toMoney(settlement.netAmountSen),
    settled_at: iso(settlement.settledAtMs),
  };
}

function typeOf({ id, type }: Entry): EntryJson['type'] {
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
