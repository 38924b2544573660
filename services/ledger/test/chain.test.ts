import { checkpointText, keyedChain, type Link, NO_LINK, parseCheckpoint } from '@gerbang/core';
import { createLogger } from '@gerbang/runtime';
import type { Store } from '@gerbang/store';
import { eventually } from '@gerbang/testkit';
import { describe, expect, it } from 'vitest';
import type { JournalDocument } from '../src/journal/document.ts';
import { journalId } from '../src/journal/document.ts';
import { ACCOUNT, capture, credit, expectIntact, hold, MERCHANT, refusalOf, useLedgerService, verified } from './harness.ts';

const service = useLedgerService();

const LINK_BROKEN = (seq: number) => new RegExp(`^p0: the link of batch ${seq} does not hold`, 'm');
const SOMEBODY = { currentKid: 'k1', keys: new Map([['k1', Buffer.alloc(32, 'x')]]) };

const journalOf = (store: Store) => store.collection<JournalDocument>('journal');
const at = (seq: number) => ({ _id: journalId('p0', BigInt(seq)) });

async function batch(store: Store, seq: number): Promise<JournalDocument> {
  const found = await journalOf(store).findOne(at(seq));
  if (found === null) throw new Error(`there is no batch ${seq}`);
  return found;
}

async function linkOf(store: Store, seq: number): Promise<Link> {
  const { chain } = await batch(store, seq);
  if (chain === undefined) throw new Error(`batch ${seq} has no link`);
  return chain;
}

/** A ledger whose journal has the barrier and three batches, all projected. */
async function prepare(more: Parameters<typeof service.start>[0] | { env?: Record<string, string> } = {}) {
  const database = service.newDatabase();
  const running = await service.start({ database, ...more });
  for (const request of [credit(1_000n), hold(100n, { feeSen: 1n }), capture(100n, { feeSen: 1n })])
    await running.ledger.post(request);
  const store = await service.openDatabase(database);
  await allProjected(store, 4n);
  return { ...running, database, store };
}

async function allProjected(store: Store, seq: bigint): Promise<void> {
  await eventually('all is projected', async () => {
    return (await store.collection<{ seq: bigint }>('checkpoints').findOne({}))?.seq === seq;
  });
}

const told = async (...call: Parameters<typeof verified>) => (await verified(...call)).differences.join('\n');

/** Ends a ledger, does something to its database, and starts it again. */
async function meanwhile(
  before: Awaited<ReturnType<typeof prepare>>,
  work: (store: Store) => Promise<unknown>,
  env: Record<string, string> = {},
) {
  await before.close();
  await work(before.store);
  return service.start({ database: before.database, env });
}

/** What a version before the chain would have written. */
const withoutLinks = (store: Store, ...seqs: number[]) =>
  Promise.all(seqs.map((seq) => journalOf(store).updateOne(at(seq), { $unset: { chain: '' } })));

const tampering: [string, (store: Store) => Promise<unknown>, RegExp][] = [
  [
    'a text of a posting that was edited',
    (store) => journalOf(store).updateOne(at(3), { $set: { 'postings.0.description': 'Sewa September' } }),
    /posting key-\d+ at 3 is not what its content hash says/,
  ],
  [
    'a content hash that was edited',
    (store) => journalOf(store).updateOne(at(3), { $set: { 'postings.0.content_hash': 'another' } }),
    LINK_BROKEN(3),
  ],
  ['a time that was edited', (store) => journalOf(store).updateOne(at(3), { $set: { at: new Date(0) } }), LINK_BROKEN(3)],
  [
    'a leg that was edited',
    (store) => journalOf(store).updateOne(at(2), { $set: { 'postings.0.legs.1.sen': 2_000n } }),
    LINK_BROKEN(2),
  ],
  ['a batch that is gone', (store) => journalOf(store).deleteOne(at(3)), LINK_BROKEN(4)],
  [
    'a link of another batch',
    async (store) => journalOf(store).updateOne(at(3), { $set: { chain: await linkOf(store, 2) } }),
    LINK_BROKEN(3),
  ],
  [
    "a link under somebody else's key",
    (store) =>
      journalOf(store).updateOne(at(4), {
        $set: { chain: keyedChain(SOMEBODY, 'journal:p0').link(NO_LINK, Buffer.from('')) },
      }),
    LINK_BROKEN(4),
  ],
  [
    'a link of a key that the ledger does not have',
    (store) => journalOf(store).updateOne(at(3), { $set: { chain: { kid: 'k9', mac: NO_LINK } } }),
    /^p0: batch 3 is linked with the key k9, which this ledger does not have/m,
  ],
  ['a link that was removed', (store) => withoutLinks(store, 3), /^p0: batches 3 to 3 carry no link of the chain/m],
  ['links that were removed from the beginning', (store) => withoutLinks(store, 1, 2, 3), LINK_BROKEN(4)],
  ["a chain that is not the writer's", (store) => withoutLinks(store, 1, 2, 3, 4), /^p0: at 4 the chain is not the writer's/m],
];

describe('the chain of the journal', () => {
  it.each(tampering)('shows %s', async (_, tamper, difference) => {
    const { ledger, store } = await prepare();
    await expectIntact(ledger);
    await tamper(store);
    expect(await told(ledger)).toMatch(difference);
  });

  it('goes on under a new key, and needs the old one as long as it has links of it', async () => {
    const key = (text: string) => `${text}:${Buffer.alloc(32, text).toString('base64')}`;
    const before = await prepare({ env: { CHAIN_KEYS: key('k1') } });
    const rotated = await meanwhile(before, async () => {}, { CHAIN_KEYS: `${key('k2')},${key('k1')}` });
    await rotated.ledger.post(credit(1n));
    expect((await batch(before.store, 4)).chain?.kid).toBe('k1');
    expect((await batch(before.store, 6)).chain?.kid).toBe('k2');
    await expectIntact(rotated.ledger);
    await rotated.close();
    const without = await service.start({ database: before.database, env: { CHAIN_KEYS: key('k2') } });
    await without.ledger.post(credit(1n));
    expect(await told(without.ledger)).toMatch(/^p0: batch 1 is linked with the key k1, which this ledger does not have/m);
  });
});

/** The writer has projected batch 2 and no later one. */
const projectedUpTo2 = (store: Store) =>
  store.collection<{ _id: string; seq: bigint }>('checkpoints').updateOne({ _id: 'p0' }, { $set: { seq: 2n } });

/** A batch that gives 5,000 sen to the merchant, without a link: batch 2 once more under another key. */
async function forge(store: Store, seq: number): Promise<void> {
  const { chain: _, ...credited } = await batch(store, 2);
  const postings = credited.postings.map((posting) => ({ ...posting, key: 'forged' }));
  await journalOf(store).insertOne({ ...credited, ...at(seq), seq: BigInt(seq), epoch: 1n, batch_id: 'forged', postings });
}

const forgedLeg = (store: Store, seq: number) =>
  journalOf(store).updateOne(at(seq), { $set: { 'postings.0.legs.0.sen': 5_000n } });

/** Answers what the first try is refused with. */
const ONCE = { timeoutMs: 10_000, retry: false } as const;

const refusing: [string, (store: Store) => Promise<unknown>, string][] = [
  [
    'the newest batch was edited and its link removed',
    async (store) => {
      await forgedLeg(store, 4);
      await withoutLinks(store, 4);
    },
    'batches 4 to 4 carry no link of the chain',
  ],
  ['several links were removed', (store) => withoutLinks(store, 3, 4), 'batches 3 to 4 carry no link of the chain'],
  [
    'a batch was edited',
    (store) => forgedLeg(store, 3),
    'the link of batch 3 does not hold: it is not what was written, or not after what it was written after',
  ],
  ['a batch was put behind the newest one', (store) => forge(store, 5), 'batches 5 to 5 carry no link of the chain'],
  [
    'a batch is linked with an unknown key',
    (store) => journalOf(store).updateOne(at(4), { $set: { chain: { kid: 'k9', mac: NO_LINK } } }),
    'batch 4 is linked with the key k9, which this ledger does not have',
  ],
];

describe('a writer that loads a journal', () => {
  const logTo = (lines: string[]) =>
    createLogger({ service: 'ledger', level: 'info' }, { write: (line) => void lines.push(line) });
  const lineOf = (lines: readonly string[], msg: string) =>
    lines.map((line) => JSON.parse(line)).find((line) => line.msg === msg);
  const availableOf = async ({ ledger }: Pick<Awaited<ReturnType<typeof service.start>>, 'ledger'>) =>
    (await ledger.getBalance({ merchantId: MERCHANT, partition: 'p0', accountId: ACCOUNT }, ONCE)).availableSen;
  const metricsOf = async ({ adminPort }: { adminPort: number }) => (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();

  async function tampered(tamper: (store: Store) => Promise<unknown>, env: Record<string, string> = {}) {
    const before = await prepare();
    await before.close();
    await projectedUpTo2(before.store);
    await tamper(before.store);
    const lines: string[] = [];
    const after = await service.start({ database: before.database, env, log: logTo(lines) });
    return { ...after, store: before.store, database: before.database, lines };
  }

  it('opens it where every link holds', async () => {
    const after = await tampered(async () => {});
    await after.ledger.post(credit(1n));
    await expectIntact(after.ledger);
    expect(await metricsOf(after)).not.toMatch(/^gerbang_ledger_unproven_batches_total\{/m);
  });

  it.each(refusing)('refuses the partition and says why when %s', async (_, tamper, reason) => {
    const after = await tampered(tamper);
    expect(await refusalOf(after.ledger.post(credit(1n), ONCE))).toBe('unavailable');
    expect(await refusalOf(availableOf(after))).toBe('unavailable');
    expect(lineOf(after.lines, 'the partition is refused: its journal is not what a ledger wrote')).toMatchObject({
      level: 'error',
      partition: 'p0',
      reason,
    });
    expect(await metricsOf(after)).toMatch(/^gerbang_ledger_unproven_batches_total\{.*"refused".*\} [1-9]/m);
    // No barrier: the next link would vouch for what it follows.
    expect((await journalOf(after.store).find({}).toArray()).map(({ epoch }) => epoch)).not.toContain(2n);
  });

  it('opens it with batches that are accepted by name, tells them, and its next link vouches for them', async () => {
    const accept = { LEDGER_ACCEPT_BATCHES: 'p1:1-9,p0:4-5' };
    const after = await tampered((store) => withoutLinks(store, 4), accept);
    await after.ledger.post(credit(1n));
    expect(lineOf(after.lines, 'unproven batches are accepted as configured')).toMatchObject({
      level: 'warn',
      partition: 'p0',
      reason: 'batches 4 to 4 carry no link of the chain',
    });
    expect(await metricsOf(after)).toMatch(/^gerbang_ledger_unproven_batches_total\{.*"accepted".*\} 1$/m);
    await allProjected(after.store, 6n);
    expect(await told(after.ledger)).toBe('p0: batches 4 to 4 carry no link of the chain');
    await after.close();
    const later = await service.start({ database: after.database });
    await later.ledger.post(credit(1n));
  });

  it('opens it with all that carry no link while a version before the chain runs too, and with nothing that was changed', async () => {
    const accept = { LEDGER_ACCEPT_BATCHES: 'unlinked' };
    const after = await tampered((store) => withoutLinks(store, 4), accept);
    await after.ledger.post(credit(1n));
    expect(lineOf(after.lines, 'unproven batches are accepted as configured')).toMatchObject({
      reason: 'batches 4 to 4 carry no link of the chain',
    });
    const changed = await tampered((store) => withoutLinks(store, 3), accept);
    expect(await refusalOf(changed.ledger.post(credit(1n), ONCE))).toBe('unavailable');
  });

  it('refuses what is accepted only in part or for another partition', async () => {
    const after = await tampered((store) => withoutLinks(store, 3, 4), { LEDGER_ACCEPT_BATCHES: 'p0:4-4,p1:3-4' });
    expect(await refusalOf(after.ledger.post(credit(1n), ONCE))).toBe('unavailable');
  });

  it('tells batches of a version before the chain', async () => {
    const after = await tampered((store) => withoutLinks(store, 1, 2, 3, 4));
    await after.ledger.post(credit(1n));
    expect(lineOf(after.lines, 'the journal begins with batches of a version before the chain')).toMatchObject({
      level: 'warn',
      reason: 'batches 3 to 4 carry no link of the chain',
    });
    expect(await metricsOf(after)).toMatch(/^gerbang_ledger_unproven_batches_total\{.*"before_chain".*\} 2$/m);
  });

  it('takes in no unlinked batch that somebody puts where its next one belongs', async () => {
    const running = await prepare();
    const availableSen = await availableOf(running);
    await forge(running.store, 5);
    expect(await refusalOf(running.ledger.post(credit(1n), ONCE))).toBe('unavailable');
    expect(await refusalOf(availableOf(running))).toBe('unavailable');
    await journalOf(running.store).deleteOne(at(5));
    expect(await availableOf(running)).toBe(availableSen);
  });
});

describe('batches of a version before the chain', () => {
  it('at the beginning are told, and vouched for by the first link as they were then', async () => {
    const before = await prepare();
    const { ledger } = await meanwhile(before, (store) => withoutLinks(store, 1, 2, 3, 4));
    await ledger.post(credit(1n));
    const { differences, unlinked } = await verified(ledger);
    expect({ differences, unlinked }).toEqual({
      differences: [],
      unlinked: [{ partition: 'p0', firstSeq: 1n, lastSeq: 4n }],
    });
    await journalOf(before.store).updateOne(at(3), { $set: { at: new Date(0) } });
    expect(await told(ledger)).toMatch(LINK_BROKEN(5));
  });

  it('in the middle are a difference until they are accepted, and vouched for by the next link', async () => {
    const before = await prepare();
    const { ledger } = await meanwhile(before, (store) => withoutLinks(store, 3, 4));
    await ledger.post(credit(1n));
    expect(await told(ledger)).toBe('p0: batches 3 to 4 carry no link of the chain');
    const known = { partition: 'p0', firstSeq: 3n, lastSeq: 4n };
    const accepted = await verified(ledger, { isAccepted: (run) => run.firstSeq === 3n && run.lastSeq === 4n });
    expect(accepted).toMatchObject({ differences: [], unlinked: [known] });
    await journalOf(before.store).updateOne(at(4), { $set: { at: new Date(0) } });
    expect(await told(ledger)).toMatch(LINK_BROKEN(5));
  });
});

describe('checkpoints in the log', () => {
  /** A ledger that has been closed, with the checkpoints of its log. */
  async function logged(env: Record<string, string> = {}) {
    const lines: string[] = [];
    const log = createLogger({ service: 'ledger', level: 'info' }, { write: (line) => void lines.push(line) });
    const before = await prepare({ log, env });
    const checkpoints = () => lines.flatMap((line): string[] => JSON.parse(line).checkpoint ?? []);
    return { before, checkpoints, given: () => ({ checkpoints: new Map([['p0', checkpoints()]]) }) };
  }
  const seqs = (checkpoints: readonly string[]) => checkpoints.map((text) => parseCheckpoint(text)?.seq);

  it('come when a partition opens, while it grows, and when it closes; the journal agrees with them', async () => {
    const { before, checkpoints, given } = await logged({ LEDGER_CHECKPOINT_MS: '100' });
    await eventually('a checkpoint has the newest batch', () => seqs(checkpoints()).includes('4'));
    const { length } = checkpoints();
    await before.ledger.post(credit(1n));
    const after = await meanwhile(before, async () => {});
    expect(seqs(checkpoints())).toEqual([...new Set(seqs(checkpoints()))]);
    expect(seqs(checkpoints())).toEqual(['1', ...seqs(checkpoints()).slice(1, length), '5']);
    const { differences, checkpoints: agreed } = await verified(after.ledger, given());
    expect({ differences, agreed }).toEqual({ differences: [], agreed: BigInt(checkpoints().length) });
  });

  it('show that the newest batch is gone, also where another one has taken its place', async () => {
    const { before, given } = await logged();
    const after = await meanwhile(before, async (store) => {
      await journalOf(store).deleteOne(at(4));
      for (const projection of ['balances', 'postings', 'checkpoints']) await store.collection(projection).deleteMany({});
    });
    expect(await told(after.ledger)).toBe('');
    expect(await told(after.ledger, given())).toMatch(/^p0: at 4 the journal is not what the checkpoint of \S+ says$/);
  });

  it('show that the whole journal is an older copy', async () => {
    const { before, given } = await logged();
    const copy = await journalOf(before.store).find({}).toArray();
    for (let i = 0; i < 3; i++) await before.ledger.post(credit(1n));
    const after = await meanwhile(before, async (store) => {
      for (const collection of ['journal', 'balances', 'postings', 'checkpoints'])
        await store.collection(collection).deleteMany({});
      await journalOf(store).insertMany(copy);
    });
    await after.ledger.post(credit(1n));
    expect(await told(after.ledger)).toBe('');
    expect(await told(after.ledger, given())).toMatch(
      /^p0: the journal ends at 6, the checkpoint of \S+ says that it had come to 7$/,
    );
  });

  it('show that all links were removed', async () => {
    const { before, given } = await logged();
    const after = await meanwhile(before, (store) => withoutLinks(store, 1, 2, 3, 4));
    expect(await told(after.ledger)).toBe('');
    expect(await told(after.ledger, given())).toMatch(/^p0: at 4 the journal is not what/m);
  });

  it('are nothing without a signature of the ledger', async () => {
    const { ledger } = await prepare();
    const forged = checkpointText(keyedChain(SOMEBODY, 'journal:p0').checkpoint(4n, NO_LINK, new Date(0)));
    const difference = await told(ledger, { checkpoints: new Map([['p0', [forged]]]) });
    expect(difference).toBe('p0: the checkpoint of 1970-01-01T00:00:00.000Z at 4 is not signed with a key of this ledger');
    for (const checkpoints of [['nonsense'], Array.from({ length: 1_001 }, () => forged)])
      expect(await refusalOf(ledger.verify({ partition: 'p0', checkpoints }))).toBe('validation');
  });
});
