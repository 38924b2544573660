import { createHash } from 'node:crypto';
import { type Checkpoint, parseCheckpoint } from '@gerbang/core';
import { Outcome } from '@gerbang/proto/gerbang/operator/v1/operator';
import { createLogger } from '@gerbang/runtime';
import type { Store } from '@gerbang/store';
import { describe, expect, test } from 'vitest';
import type { LegacyDocument } from '../src/audit/legacy.ts';
import { newMerchant, type Running, refusalOf, ring, useMerchantService } from './harness.ts';

const system = useMerchantService();

/** What a service writes to its log stream, and the checkpoints in it. */
function stream() {
  const lines: string[] = [];
  const checkpoints = (): Checkpoint[] =>
    lines.flatMap((line) => {
      const { checkpoint: text }: { checkpoint?: string } = JSON.parse(line);
      const read = parseCheckpoint(text ?? '');
      return read === undefined ? [] : [read];
    });
  return { lines, checkpoints, log: createLogger({ service: 'merchant', level: 'warn' }, { write: (line) => lines.push(line) }) };
}

async function startLogged(database = system.newDatabase()) {
  const { log, lines, checkpoints } = stream();
  const running = await system.start({ database, log });
  const store = await system.openDatabase(database);
  return { ...running, database, lines, checkpoints, entries: entriesOf(store), store };
}

const entriesOf = (store: Store) => store.collection<{ _id: bigint; after: string }>('operator_log');

async function problemsOf({ admins }: Pick<Running, 'admins'>, checkpoints: Checkpoint[] = []): Promise<string[]> {
  return (await admins.verifyAudit({ checkpoints })).problems;
}

describe('the audit log', () => {
  test('tells who did what, from where, with before and after; refused and failed commands too', async () => {
    const { operators, admins } = await system.start();
    const { merchantId, clientId } = await operators.createMerchant(newMerchant);
    await operators.setFrozen({ merchantId, frozen: true });
    const { clientSecret } = await operators.rotateSecret({ merchantId, clientId });
    await refusalOf(operators.setFrozen({ merchantId: '01J00000000000000000000000', frozen: true }));
    const { lines } = await admins.listAudit({});
    const told = lines.map((line) => [line.operator, line.method.split('/').at(-1), line.target, line.outcome]);
    expect(told).toEqual([
      ['budi', 'SetFrozen', '', Outcome.REFUSED],
      ['sari', 'RotateSecret', `merchant:${merchantId}`, Outcome.DONE],
      ['budi', 'RotateSecret', expect.stringMatching(/^approval:/), Outcome.PROPOSED],
      ['budi', 'SetFrozen', `merchant:${merchantId}`, Outcome.DONE],
      ['budi', 'CreateMerchant', `merchant:${merchantId}`, Outcome.DONE],
      ['', 'SetUp', 'operators', Outcome.DONE],
    ]);
    expect(lines[0]).toMatchObject({ refusal: 'merchant_not_found', source: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
    expect(JSON.parse(lines[3]?.before ?? '')).toEqual({ version: 1, frozen: false });
    expect(JSON.parse(lines[3]?.after ?? '')).toEqual({ version: 2, frozen: true });
    expect(JSON.parse(lines[1]?.after ?? '').credentials).toMatchObject([{ client_id: clientId, generation: 2 }]);
    expect(JSON.stringify(lines.map(({ before, after }) => [before, after]))).not.toContain(clientSecret);
  });

  test('is found by operator, service, target and time, page by page', async () => {
    const { operators, admins } = await system.start();
    const made = [];
    for (const name of ['A', 'B', 'C']) made.push(await operators.createMerchant({ ...newMerchant, name }));
    const target = `merchant:${made[1]?.merchantId}`;
    expect((await admins.listAudit({ target })).lines.map((line) => line.target)).toEqual([target]);
    expect((await admins.listAudit({ operator: 'budi' })).lines).toHaveLength(3);
    expect((await admins.listAudit({ operator: 'sari' })).lines).toHaveLength(0);
    expect((await admins.listAudit({ service: 'money-out' })).lines).toHaveLength(0);
    expect((await admins.listAudit({ untilMs: 1n })).lines).toHaveLength(0);
    expect((await admins.listAudit({ fromMs: 1n })).lines).toHaveLength(4);
    const first = await admins.listAudit({ limit: 3 });
    const second = await admins.listAudit({ limit: 3, beforeSeq: first.nextBefore });
    expect([first.lines.length, second.lines.length, second.nextBefore]).toEqual([3, 1, 0n]);
  });

  test('of many commands at once, in two processes, has all of them in one chain', async () => {
    const database = system.newDatabase();
    const [one, other] = await Promise.all([system.start({ database }), system.start({ database })]);
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(
      [one, other].flatMap(({ operators }) => names.map((name) => operators.createMerchant({ ...newMerchant, name }))),
    );
    const { lines } = await one.admins.listAudit({});
    expect(lines.filter(({ method, outcome }) => method.endsWith('CreateMerchant') && outcome === Outcome.DONE)).toHaveLength(8);
    expect(await problemsOf(one)).toEqual([]);
  });

  test('shows a command that has begun and not ended as unknown', async () => {
    let now = Date.now();
    const database = system.newDatabase();
    const { operators, admins } = await system.start({ database, realNow: () => now });
    await operators.createMerchant(newMerchant);
    const entries = entriesOf(await system.openDatabase(database));
    await entries.deleteOne({ _id: 5n });
    expect((await admins.listAudit({ limit: 1 })).lines[0]?.outcome).toBe(Outcome.RUNNING);
    now += 60_000;
    expect((await admins.listAudit({ limit: 1 })).lines[0]?.outcome).toBe(Outcome.UNKNOWN);
  });
});

describe('tampering is found:', () => {
  test('nothing, where nothing was done, also after the chain’s key has changed', async () => {
    const database = system.newDatabase();
    const before = await startLogged(database);
    await before.operators.createMerchant(newMerchant);
    await before.close();
    const after = await system.start({ database, env: { CHAIN_KEYS: ring('newer', 'chain') } });
    await after.operators.createMerchant(newMerchant);
    const checkpoints = before.checkpoints();
    expect(checkpoints.length).toBeGreaterThan(4);
    expect(await after.admins.verifyAudit({ checkpoints })).toMatchObject({
      problems: [],
      genuineCheckpoints: checkpoints.length,
    });
  });

  test('an entry was edited', async () => {
    const { operators, admins, entries } = await startLogged();
    await operators.createMerchant(newMerchant);
    await entries.updateOne({ _id: 4n }, { $set: { subject: 'sari' } });
    expect(await problemsOf({ admins })).toEqual([expect.stringContaining('entry 4 was changed')]);
  });

  test('an entry was edited, and its link made again with another key', async () => {
    const { operators, admins, entries } = await startLogged();
    await operators.createMerchant(newMerchant);
    await entries.updateOne({ _id: 4n }, { $set: { subject: 'sari', mac: 'ab'.repeat(32) } });
    expect(await problemsOf({ admins })).toEqual([expect.stringContaining('entry 4'), expect.stringContaining('entry 5')]);
  });

  test('entries in the middle were removed', async () => {
    const { operators, admins, entries } = await startLogged();
    await operators.createMerchant(newMerchant);
    await entries.deleteOne({ _id: 3n });
    expect(await problemsOf({ admins })).toEqual(['entry 3 is missing']);
    await entries.deleteOne({ _id: 2n });
    expect(await problemsOf({ admins })).toEqual(['entries 2 to 3 are missing']);
  });

  test('the newest entries were removed: by a checkpoint, and by the process that wrote them', async () => {
    const { operators, admins, entries, checkpoints, lines } = await startLogged();
    const { merchantId } = await operators.createMerchant(newMerchant);
    await entries.deleteOne({ _id: 5n });
    expect(await problemsOf({ admins })).toEqual([]);
    expect(await problemsOf({ admins }, checkpoints())).toEqual([
      expect.stringMatching(/^entry 5 is missing: .* a checkpoint shows$/),
    ]);
    await operators.setFrozen({ merchantId, frozen: true });
    expect(lines.join('')).toContain('alert: the audit log in the database lacks entries');
    expect(await problemsOf({ admins }, checkpoints())).toEqual([expect.stringMatching(/^entry 5 is another one/)]);
  });

  test('all entries were removed while the service was down', async () => {
    const before = await startLogged();
    await before.close();
    await before.entries.deleteMany({});
    const { log, lines } = stream();
    const { admins } = await system.start({ database: before.database, log, withoutOperators: true });
    expect(lines.join('')).toContain('alert: there are operators, but the audit log');
    expect(await problemsOf({ admins })).toEqual([expect.stringContaining('there were 2 operators already')]);
  });

  test('the database was replaced by another one', async () => {
    const { operators, checkpoints } = await startLogged();
    await operators.createMerchant(newMerchant);
    const replaced = await system.start();
    const problems = await problemsOf(replaced, checkpoints());
    expect(problems[0]).toMatch(/^entry 1 is another one/);
    expect(problems.at(-1)).toMatch(/^entry 5 is missing/);
  });

  test('checkpoints that the service has not signed say nothing', async () => {
    const { admins, checkpoints } = await startLogged();
    const forged = checkpoints().map((checkpoint) => ({ ...checkpoint, seq: '99' }));
    expect(await admins.verifyAudit({ checkpoints: forged })).toMatchObject({ problems: [], genuineCheckpoints: 0 });
  });
});

describe('a log of before operators had keys', () => {
  const [operator, command, target] = ['ani', 'merchant.freeze', 'merchant:m'] as const;

  test('is listed after all others, and verified; what is added to it later is found', async () => {
    const database = system.newDatabase();
    const store = await system.openDatabase(database);
    const legacy = store.collection<LegacyDocument>('audit_log');
    let previous_hash = '';
    const append = async (_id: bigint, before: string) => {
      const content = { _id, schema: 1, at: new Date(0), operator, command, target, before, after: 'null', previous_hash };
      const hashed = [String(_id), 1, content.at.toISOString(), operator, command, target, before, 'null', previous_hash];
      previous_hash = createHash('sha256').update(JSON.stringify(hashed)).digest('hex');
      await legacy.insertOne({ ...content, hash: previous_hash });
    };
    await append(1n, '{"name":"first"}');
    await append(2n, '{"name":"second"}');
    const { admins } = await system.start({ database });
    expect(await admins.verifyAudit({})).toMatchObject({ problems: [], legacyEntries: 2n });
    const first = await admins.listAudit({ limit: 2 });
    expect(first.lines.map((line) => [line.legacy, line.operator, line.before])).toEqual([
      [false, '', 'null'],
      [true, 'ani', '{"name":"second"}'],
    ]);
    const { lines, nextBefore } = await admins.listAudit({ limit: 2, beforeSeq: first.nextBefore });
    expect([lines.map(({ before }) => before), nextBefore]).toEqual([['{"name":"first"}'], 0n]);
    await append(3n, 'null');
    expect(await problemsOf({ admins })).toEqual([expect.stringContaining('earlier log: it ends with entry 3')]);
    await legacy.updateOne({ _id: 1n }, { $set: { operator: 'budi' } });
    expect((await problemsOf({ admins }))[0]).toContain('earlier log: entry 1');
  });
});
