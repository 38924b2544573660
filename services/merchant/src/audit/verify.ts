import { type Checkpoint, type KeyedChain, NO_LINK } from '@gerbang/core';
import { contentOf, type EntryDocument } from './entry.ts';
import { type LegacyHead, NO_LEGACY } from './legacy.ts';
import type { OperatorLog } from './log.ts';

const BATCH = 500;
/** More lines would help no reader. */
const PROBLEMS_MAX = 100;

/**
 * Walks the log from its first entry to its last. Names each entry that was changed, each gap, and what is wrong with the earlier
 * log that it follows.
 */
export async function verifyLog(log: OperatorLog): Promise<{ problems: string[]; entries: bigint; legacyEntries: bigint }> {
  const problems: string[] = [];
  const note = (problem: string) => {
    if (problems.length < PROBLEMS_MAX) problems.push(problem);
  };
  let previous = { _id: 0n, mac: NO_LINK };
  let legacyHead = NO_LEGACY;
  let entries = 0n;
  for await (const entry of log.entries.find({}, { sort: { _id: 1 }, batchSize: BATCH })) {
    const missing = entry._id - previous._id - 1n;
    if (missing > 0n)
      note(
        missing === 1n ? `entry ${entry._id - 1n} is missing` : `entries ${previous._id + 1n} to ${entry._id - 1n} are missing`,
      );
    const wrong = checkLink(log.chain, previous.mac, entry);
    if (wrong !== undefined && missing === 0n) note(wrong);
    if (entry._id === 1n) legacyHead = legacyHeadOf(entry, note);
    previous = entry;
    entries++;
  }
  if (entries === 0n) note('the log is empty; it should begin with an entry about the log before it');
  const legacy = await log.legacy.verify(legacyHead);
  for (const problem of legacy.problems) note(problem);
  return { problems, entries, legacyEntries: legacy.entries };
}

/** Looks up checkpoints from the log stream. Those that were not signed with the log's keys say nothing and are left out. */
export async function verifyCheckpoints(
  { entries, chain }: OperatorLog,
  checkpoints: readonly Checkpoint[],
): Promise<{ problems: string[]; genuine: number }> {
  const genuine = checkpoints.filter((checkpoint) => chain.isGenuine(checkpoint));
  const seqs = [...new Set(genuine.map(({ seq }) => BigInt(seq)))];
  const stored = await entries.find({ _id: { $in: seqs } }, { projection: { mac: 1 } }).toArray();
  const macs = new Map(stored.map(({ _id, mac }) => [_id, mac]));
  const problems = genuine.flatMap(({ seq, mac, at }) => {
    const found = macs.get(BigInt(seq));
    if (found === mac) return [];
    return [
      `entry ${seq} ${found === undefined ? 'is missing' : 'is another one'}: it was the newest at ${at}, as a checkpoint shows`,
    ];
  });
  return { problems: [...new Set(problems)], genuine: genuine.length };
}

function checkLink(chain: KeyedChain, previousMac: string, entry: EntryDocument): string | undefined {
  try {
    if (chain.holds(entry, previousMac, contentOf(entry))) return undefined;
  } catch {
    return `entry ${entry._id} can't be checked: its key ${entry.kid} is not in CHAIN_KEYS`;
  }
  return `entry ${entry._id} was changed, or is not the one that was written after entry ${entry._id - 1n}`;
}

function legacyHeadOf({ kind, after }: EntryDocument, note: (problem: string) => void): LegacyHead {
  const content: { legacy_seq?: string; legacy_hash?: string; operators?: string } = kind === 'start' ? JSON.parse(after) : {};
  if (content.legacy_seq === undefined || content.legacy_hash === undefined) {
    note('entry 1 does not say where the log before it ended');
    return NO_LEGACY;
  }
  // Entries of earlier versions do not count the operators.
  const { operators = '0' } = content;
  if (operators !== '0') note(`the log began anew when there were ${operators} operators already: the one before it is gone`);
  return { seq: BigInt(content.legacy_seq), hash: content.legacy_hash };
}
