import type { Checkpoint } from '@gerbang/core';
import type { Journal } from '../journal/journal.ts';
import type { Partition } from '../partition/partition.ts';
import { COMPARTMENTS, merchantAccount, ownerOf } from '../posting/account.ts';
import type { Batch } from '../posting/posting.ts';
import { type PostingDocument, toPostingDocuments } from '../projector/posting-document.ts';
import type { PostingPlace, ProjectionStore } from '../projector/store.ts';
import { comparePostings, orphans } from './compare-postings.ts';
import { followChain, type Unlinked } from './follow-chain.ts';
import { compareMemory, compareProjected, type Projected, rebuild } from './rebuild.ts';

/** Postings looked up together. */
const LOOKUP_POSTINGS = 1_000;

/** The balances of a merchant account by the journal, sen. */
export type RebuiltBalance = {
  merchantId: string;
  accountId: string;
  availableSen: bigint;
  heldSen: bigint;
  pendingSen: bigint;
  reserveSen: bigint;
  owedSen: bigint;
};

/** What a verification comes across; undefined now and then on the way, when there is nothing to tell. */
export type Finding = { difference: string } | { balance: RebuiltBalance } | { unlinked: Unlinked } | undefined;

/** `checkpoints`: how many of those that were given the journal agrees with. */
export type Totals = { postings: bigint; sumSen: bigint; checkpoints: bigint };

/**
 * Rebuilds a partition from its journal, in memory bounded by the number of accounts, and compares it with what is kept: every
 * difference is told as it is found, then every merchant account. Postings and projections go on meanwhile: the projected
 * balances carry the sequence number that they are of, and each is compared when the rebuilding is there; memory is compared as
 * it was at one sequence number, up to which the rebuilding goes. The journal's chain is followed on the way, and compared with
 * the checkpoints, which come from where the database does not reach. What it tells is worth nothing when the partition has gone to
 * another instance meanwhile.
 */
export async function* verifyPartition(
  { journal, projections }: { journal: Journal; projections: ProjectionStore },
  partition: Partition,
  checkpoints: readonly Checkpoint[] = [],
): AsyncGenerator<Finding, Totals> {
  const { name } = partition;
  const found: Finding[] = [];
  const differ = (what: string) => void found.push({ difference: `${name}: ${what}` });
  function* told() {
    yield* found.splice(0);
  }
  const chain = followChain(partition.chain, checkpoints, differ, (unlinked) => void found.push({ unlinked }));

  const { seq: checkpointSeq } = await projections.checkpoint(name);
  // Postings are stored before the balances, and further than the checkpoint says.
  const storedSeq = partition.projectedSeq();
  const projected = new Map<string, Projected>();
  for await (const { account, sen, seq } of projections.balances(name)) projected.set(account, { sen, seq, met: false });
  const memory = partition.book.snapshot();
  const standing = partition.standing();
  const endSeq = standing.seq;

  const rebuilt = new Map<string, bigint>();
  let expected: PostingDocument[] = [];
  let postings = 0n;
  let projectedPostings = 0;
  let last: Pick<Batch, 'seq' | 'epoch'> = { seq: 0n, epoch: 0n };
  for await (const batch of journal.after(name, 0n)) {
    if (batch.seq > endSeq) break;
    if (batch.seq !== last.seq + 1n) differ(`the journal has a gap between ${last.seq} and ${batch.seq}`);
    if (batch.epoch < last.epoch) differ(`the epoch falls from ${last.epoch} to ${batch.epoch} at ${batch.seq}`);
    last = batch;
    chain.take(batch);
    postings += BigInt(batch.entries.length);
    const touched = rebuild(batch, rebuilt, differ);
    compareProjected(batch.seq, touched, rebuilt, projected, checkpointSeq, differ);
    if (batch.seq <= storedSeq) {
      projectedPostings += batch.entries.length;
      expected.push(...toPostingDocuments({ batch, after: rebuilt }));
      if (expected.length >= LOOKUP_POSTINGS) {
        await comparePostings(projections, name, expected, differ);
        expected = [];
      }
    }
    yield* told();
    yield undefined;
  }
  await comparePostings(projections, name, expected, differ);
  if (last.seq < endSeq) differ(`the journal ends at ${last.seq}, the writer is at ${endSeq}`);
  chain.end(standing);
  for (const [account, { seq, met }] of projected) {
    if (!met) differ(`projected balance of ${account} is of ${seq}, where the journal does not touch it`);
  }
  compareMemory(memory, rebuilt, differ);
  yield* told();

  let stored = 0;
  const beyond: PostingPlace[] = [];
  for await (const place of projections.placesOfPostings(name)) {
    if (place.seq <= storedSeq) stored++;
    if (place.seq > endSeq) beyond.push(place);
    yield undefined;
  }
  if (stored !== projectedPostings) {
    differ(`${stored} postings are stored up to ${storedSeq}, the journal has ${projectedPostings}`);
    yield* told();
    for await (const orphan of orphans(journal, projections.placesOfPostings(name), name))
      yield { difference: `${name}: ${orphan}` };
  }
  // What has been journalled by now may well be stored.
  const writtenSeq = partition.lastSeq();
  for (const { key, seq } of beyond) {
    if (seq > writtenSeq) differ(`posting ${key} is stored as of ${seq}, where the journal does not have it`);
  }
  let sumSen = 0n;
  for (const sen of rebuilt.values()) sumSen += sen;
  if (sumSen !== 0n) differ(`all accounts together are ${sumSen} sen, not 0`);
  yield* told();
  for (const balance of merchantBalances(rebuilt)) yield { balance };
  return { postings, sumSen, checkpoints: chain.agreed() };
}

function* merchantBalances(rebuilt: ReadonlyMap<string, bigint>): Generator<RebuiltBalance> {
  const owners = new Map<string, { merchantId: string; accountId: string }>();
  for (const account of rebuilt.keys()) {
    const owner = ownerOf(account);
    if (owner !== undefined) owners.set(`${owner.merchantId}/${owner.accountId}`, owner);
  }
  for (const { merchantId, accountId } of owners.values()) {
    const [availableSen = 0n, heldSen = 0n, pendingSen = 0n, reserveSen = 0n, owed = 0n] = COMPARTMENTS.map(
      (one) => rebuilt.get(merchantAccount(merchantId, accountId, one)) ?? 0n,
    );
    yield { merchantId, accountId, availableSen, heldSen, pendingSen, reserveSen, owedSen: -owed };
  }
}
