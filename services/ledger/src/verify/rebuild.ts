import { isReceivable, isSystemAccount, merchantAccount } from '../posting/account.ts';
import type { Batch, Entry } from '../posting/posting.ts';

/** Takes a difference down. */
export type Differ = (what: string) => void;

/** A projected balance, and whether the journal has been at the batch that it is of. */
export type Projected = { sen: bigint; seq: bigint; met: boolean };

/**
 * Applies a batch to the balances, and answers which accounts it touches. Differences: entries that do not sum up to zero,
 * merchants below zero, receivables above it, settlements that leave something owed and reach available all the same.
 */
export function rebuild(batch: Batch, rebuilt: Map<string, bigint>, differ: Differ): Set<string> {
  const touched = new Set<string>();
  for (const entry of batch.entries) {
    const { posting, legs } = entry;
    let sum = 0n;
    for (const { account, sen } of legs) {
      const after = (rebuilt.get(account) ?? 0n) + sen;
      rebuilt.set(account, after);
      touched.add(account);
      sum += sen;
      const isWrong = isReceivable(account) ? after > 0n : after < 0n && !isSystemAccount(account);
      if (isWrong) differ(`${account} is ${after} sen after ${posting.key} at ${batch.seq}`);
    }
    if (sum !== 0n) differ(`the entries of ${posting.key} at ${batch.seq} sum up to ${sum} sen`);
    if (leavesDebt(entry, rebuilt)) differ(`${posting.key} at ${batch.seq} reaches available while something is owed`);
  }
  return touched;
}

/** Settlements, and chargebacks that are won, repay first what the account owes. */
function leavesDebt({ posting, legs }: Entry, after: ReadonlyMap<string, bigint>): boolean {
  const { intent, merchantId, accountId } = posting;
  if (intent !== 'settle' && intent !== 'restore') return false;
  const available = merchantAccount(merchantId, accountId, 'available');
  if (!legs.some(({ account }) => account === available)) return false;
  return (after.get(merchantAccount(merchantId, accountId, 'owed')) ?? 0n) < 0n;
}

/** Compares the projected balances of the touched accounts with the journal's, each when the rebuilding is where it was taken. */
export function compareProjected(
  seq: bigint,
  touched: ReadonlySet<string>,
  rebuilt: ReadonlyMap<string, bigint>,
  projected: ReadonlyMap<string, Projected>,
  checkpointSeq: bigint,
  differ: Differ,
): void {
  for (const account of touched) {
    const found = projected.get(account);
    if (found?.seq === seq) {
      found.met = true;
      const sen = rebuilt.get(account);
      if (found.sen !== sen) differ(`projected balance of ${account} is ${found.sen} sen at ${seq}, the journal has ${sen}`);
    } else if (seq <= checkpointSeq && (found === undefined || found.seq < seq)) {
      differ(`projected balance of ${account} is of ${found?.seq ?? 'nowhere'}, the journal touches it at ${seq}`);
    }
  }
}

/** Compares the writer's balances with the journal's. */
export function compareMemory(memory: ReadonlyMap<string, bigint>, rebuilt: ReadonlyMap<string, bigint>, differ: Differ): void {
  for (const account of new Set([...memory.keys(), ...rebuilt.keys()])) {
    const [kept, sen] = [memory.get(account) ?? 0n, rebuilt.get(account) ?? 0n];
    if (kept !== sen) differ(`balance of ${account} is ${kept} sen in memory, the journal has ${sen}`);
  }
}
