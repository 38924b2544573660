import { canonicalJson, checkpointText, type KeyedChain, NO_LINK } from '@gerbang/core';
import type { Closeable, Logger } from '@gerbang/runtime';
import { isDuplicateKey, type Store } from '@gerbang/store';
import { contentOf, type EntryContent, type EntryDocument, NOTHING } from './entry.ts';
import { type LegacyLog, openLegacyLog } from './legacy.ts';

const SCHEMA = 1;
/** Where the log stands is written to the log stream so often when nothing happens. */
const IDLE_MS = 10 * 60_000;

/**
 * The append-only log of operators' commands over all services. Entries are chained under keys that are not in the database
 * (architecture §8). Where the log stands is written to the log stream after each entry, where the database can't change it.
 */
export type OperatorLog = Closeable & {
  entries: ReturnType<typeof collectionOf>;
  legacy: LegacyLog;
  chain: KeyedChain;
  /** Gives the entry's number. */
  append(content: Partial<EntryContent>): Promise<bigint>;
};

export type LogHead = { seq: bigint; mac: string };

const EMPTY: LogHead = { seq: 0n, mac: NO_LINK };

/** `behind` is called when the database has less than this process has written. */
type Options = { store: Store; chain: KeyedChain; log: Logger; realNow: () => number; behind: () => void };

/** Opens the log; a new one begins with where the earlier log ended. */
export async function openOperatorLog({ store, chain, log, realNow, behind }: Options): Promise<OperatorLog> {
  const entries = collectionOf(store);
  const legacy = openLegacyLog(store);
  await entries.createIndex({ command: 1 }, { name: 'of-command' });
  await entries.createIndex({ subject: 1, at: -1 }, { name: 'of-operator' });
  await entries.createIndex({ target: 1 }, { name: 'of-target' });
  let known = EMPTY;

  const readHead = async (): Promise<LogHead> => {
    const last = await entries.findOne({}, { sort: { _id: -1 }, readConcern: 'linearizable' });
    const head = last === null ? EMPTY : { seq: last._id, mac: last.mac };
    const isBehind = head.seq < known.seq || (head.seq === known.seq && head.mac !== known.mac);
    if (isBehind) {
      behind();
      const facts = { expected_seq: String(known.seq), found_seq: String(head.seq) };
      log.error(facts, 'alert: the audit log in the database lacks entries that were written, or has others');
    } else known = head;
    return head;
  };
  const writeCheckpoint = ({ seq, mac }: LogHead) => {
    const text = checkpointText(chain.checkpoint(seq, mac, new Date(realNow())));
    log.always({ checkpoint: text }, 'where the audit log stands');
  };
  /** Undefined when somebody else has written the entry after `head`. */
  const tryAppend = async (head: LogHead, content: Partial<EntryContent>): Promise<LogHead | undefined> => {
    const entry = { ...NOTHING, ...content, _id: head.seq + 1n, schema: SCHEMA, at: new Date(realNow()) };
    const link = chain.link(head.mac, contentOf({ ...entry, kid: '', mac: '' }));
    try {
      await entries.insertOne({ ...entry, ...link });
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
    known = { seq: entry._id, mac: link.mac };
    writeCheckpoint(known);
    return known;
  };
  const append = async (content: Partial<EntryContent>): Promise<bigint> => {
    for (;;) {
      const written = await tryAppend(await readHead(), content);
      if (written !== undefined) return written.seq;
    }
  };

  const start = await readHead();
  if (start.seq === 0n) {
    const { seq, hash } = await legacy.head();
    const operators = await store.collection('operators').countDocuments();
    if (operators > 0) {
      behind();
      log.error({ found_seq: '0' }, 'alert: there are operators, but the audit log that their set-up began is gone');
    }
    // Signed with the entry: so verifying tells of the lost log for ever.
    const after = canonicalJson({ legacy_seq: String(seq), legacy_hash: hash, operators: String(operators) });
    await tryAppend(start, { kind: 'start', after });
  } else writeCheckpoint(start);
  // One after the other: entries of this process never compete for a number.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
  const idle = setInterval(() => {
    inTurn(async () => writeCheckpoint(await readHead())).catch((error: unknown) => {
      log.error({ err: error }, 'could not read where the audit log stands');
    });
  }, IDLE_MS);
  return {
    entries,
    legacy,
    chain,
    append: (content) => inTurn(() => append(content)),
    async close() {
      clearInterval(idle);
      await last.catch(() => {});
    },
  };
}

function collectionOf(store: Store) {
  return store.collection<EntryDocument>('operator_log');
}
