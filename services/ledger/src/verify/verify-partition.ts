import { isDeepStrictEqual } from 'node:util';
import { RefusalError, refuse } from '@gerbang/core';
import type { Journal } from '../journal/journal.ts';
import type { Partition } from '../partition/partition.ts';
import { COMPARTMENTS, isSystemAccount, merchantAccount, ownerOf } from '../posting/account.ts';
import type { Batch } from '../posting/posting.ts';
import { toPostingDocuments } from '../projector/posting-document.ts';
import type { Projection, ProjectionStore } from '../projector/store.ts';

/** Lines that are listed; what is broken all over needs no list. */
export const DIFFERENCES_MAX = 1_000;

export type Verification = {
  postings: bigint;
  sumSen: bigint;
  differences: string[];
  balances: { merchantId: string; accountId: string; availableSen: bigint; heldSen: bigint; pendingSen: bigint }[];
};

type Projected = { sen: bigint; seq: bigint; met: boolean };

/**
 * Rebuilds a partition from its journal, in memory bounded by the number of accounts, and compares it with what is kept. Postings and projections go on
 * meanwhile: the projected balances carry the sequence number that they are of, and each is compared when the rebuilding is there; memory is compared
 * as it was at one sequence number, up to which the rebuilding goes.
 */
export async function verifyPartition(
  context: { journal: Journal; projections: ProjectionStore },
  partition: Partition,
  signal: AbortSignal,
): Promise<Verification> {
  const { journal, projections } = context;
  const { name } = partition;
  const differences: string[] = [];
  const differ = (what: string) => {
    if (differences.length < DIFFERENCES_MAX) differences.push(`${name}: ${what}`);
  };

  const { seq: checkpointSeq } = await projections.checkpoint(name);
  const projected = new Map<string, Projected>();
  for await (const { account, sen, seq } of projections.balances(name)) projected.set(account, { sen, seq, met: false });
  const memory = partition.book.snapshot();
  const endSeq = partition.lastSeq();

  const rebuilt = new Map<string, bigint>();
  let postings = 0n;
  let projectedPostings = 0;
  let last: Pick<Batch, 'seq' | 'epoch'> = { seq: 0n, epoch: 0n };
  for await (const batch of journal.after(name, 0n)) {
    if (batch.seq > endSeq) break;
    if (signal.aborted) throw new RefusalError(refuse('timeout'));
    if (batch.seq !== last.seq + 1n) differ(`the journal has a gap between ${last.seq} and ${batch.seq}`);
    if (batch.epoch < last.epoch) differ(`the epoch falls from ${last.epoch} to ${batch.epoch} at ${batch.seq}`);
    last = batch;
    postings += BigInt(batch.entries.length);
    const touched = rebuild(batch, rebuilt, differ);
    compareProjected(batch.seq, touched, rebuilt, projected, checkpointSeq, differ);
    if (batch.seq <= checkpointSeq) {
      projectedPostings += batch.entries.length;
      await comparePostings(projections, { batch, after: rebuilt }, differ);
    }
  }
  if (last.seq < endSeq) differ(`the journal ends at ${last.seq}, the writer is at ${endSeq}`);
  for (const [account, { seq, met }] of projected) {
    if (!met && seq <= endSeq) differ(`projected balance of ${account} is of ${seq}, where the journal does not touch it`);
  }
  const stored = await projections.countPostings(name, checkpointSeq);
  if (stored !== projectedPostings)
    differ(`${stored} postings are stored up to ${checkpointSeq}, the journal has ${projectedPostings}`);
  compareMemory(memory, rebuilt, differ);
  let sumSen = 0n;
  for (const sen of rebuilt.values()) sumSen += sen;
  if (sumSen !== 0n) differ(`all accounts together are ${sumSen} sen, not 0`);
  return { postings, sumSen, differences, balances: merchantBalances(rebuilt) };
}

/** Applies a batch, and answers which accounts it touches. */
function rebuild(batch: Batch, rebuilt: Map<string, bigint>, differ: (what: string) => void): Set<string> {
  const touched = new Set<string>();
  for (const { posting, legs } of batch.entries) {
    let sum = 0n;
    for (const { account, sen } of legs) {
      const after = (rebuilt.get(account) ?? 0n) + sen;
      rebuilt.set(account, after);
      touched.add(account);
      sum += sen;
      if (after < 0n && !isSystemAccount(account)) differ(`${account} is ${after} sen after ${posting.key} at ${batch.seq}`);
    }
    if (sum !== 0n) differ(`the entries of ${posting.key} at ${batch.seq} sum up to ${sum} sen`);
  }
  return touched;
}

function compareProjected(
  seq: bigint,
  touched: ReadonlySet<string>,
  rebuilt: ReadonlyMap<string, bigint>,
  projected: ReadonlyMap<string, Projected>,
  checkpointSeq: bigint,
  differ: (what: string) => void,
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

async function comparePostings(
  projections: ProjectionStore,
  projection: Projection,
  differ: (what: string) => void,
): Promise<void> {
  const { partition, seq, entries } = projection.batch;
  if (entries.length === 0) return;
  const keys = entries.map(({ posting }) => posting.key);
  const stored = new Map((await projections.postings(partition, keys)).map((document) => [document.key, document]));
  for (const expected of toPostingDocuments(projection)) {
    const document = stored.get(expected.key);
    if (document === undefined) differ(`posting ${expected.key} at ${seq} is not stored`);
    else if (!isDeepStrictEqual(document, expected)) differ(`posting ${expected.key} at ${seq} is stored otherwise`);
  }
}

function compareMemory(
  memory: ReadonlyMap<string, bigint>,
  rebuilt: ReadonlyMap<string, bigint>,
  differ: (what: string) => void,
): void {
  for (const account of new Set([...memory.keys(), ...rebuilt.keys()])) {
    const [kept, sen] = [memory.get(account) ?? 0n, rebuilt.get(account) ?? 0n];
    if (kept !== sen) differ(`balance of ${account} is ${kept} sen in memory, the journal has ${sen}`);
  }
}

function merchantBalances(rebuilt: ReadonlyMap<string, bigint>): Verification['balances'] {
  const owners = new Map<string, { merchantId: string; accountId: string }>();
  for (const account of rebuilt.keys()) {
    const owner = ownerOf(account);
    if (owner !== undefined) owners.set(`${owner.merchantId}/${owner.accountId}`, owner);
  }
  return [...owners.values()].map(({ merchantId, accountId }) => {
    const [availableSen = 0n, heldSen = 0n, pendingSen = 0n] = COMPARTMENTS.map(
      (one) => rebuilt.get(merchantAccount(merchantId, accountId, one)) ?? 0n,
    );
    return { merchantId, accountId, availableSen, heldSen, pendingSen };
  });
}
