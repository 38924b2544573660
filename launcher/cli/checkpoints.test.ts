import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkpointText, keyedChain, NO_LINK } from '@gerbang/core';
import { afterAll, expect, test } from 'vitest';
import { readJournalCheckpoints, sandboxLogs } from './checkpoints.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-checkpoints-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ring = { currentKid: 'k1', keys: new Map([['k1', Buffer.alloc(32, 1)]]) };
const checkpoint = (log: string, seq: number) =>
  checkpointText(keyedChain(ring, log).checkpoint(BigInt(seq), NO_LINK, new Date(0)));
const line = (text: string) => JSON.stringify({ level: 'info', service: 'ledger', checkpoint: text, msg: 'journal checkpoint' });

function file(name: string, lines: readonly string[]): string {
  const made = path.join(folder, name);
  writeFileSync(made, lines.map((one) => `${one}\n`).join(''));
  return made;
}

test('checkpoints are found by partition, in lines as they were written and in those of a collector', async () => {
  const [first, second, other] = [checkpoint('journal:p0', 1), checkpoint('journal:p0', 2), checkpoint('journal:p1', 7)];
  const plain = file('plain.log', ['no JSON', line(first), line(checkpoint('audit', 9)), line(other), line(first)]);
  const collected = file('collected.log', [JSON.stringify({ stream: 'stdout', log: `${line(second)}\n` })]);
  expect(await readJournalCheckpoints([plain, collected])).toEqual(
    new Map([
      ['p0', [second, first]],
      ['p1', [other]],
    ]),
  );
});

test('of many the newest thousand are kept', async () => {
  const many = Array.from({ length: 2_500 }, (_, i) => checkpoint('journal:p0', i + 1));
  const found = await readJournalCheckpoints([file('many.log', many.map(line))]);
  expect(found.get('p0')).toEqual(many.slice(-1_000).toReversed());
});

test('a damaged one, and a file that is not there, are told', async () => {
  await expect(readJournalCheckpoints([file('damaged.log', [line('bm9uc2Vuc2U')])])).rejects.toThrow(
    /damaged\.log has a checkpoint/,
  );
  await expect(readJournalCheckpoints([path.join(folder, 'absent.log')])).rejects.toThrow(/absent\.log can not be read/);
});

test("by default they are the sandbox's, unless another ledger is asked", () => {
  const logs = path.join(folder, 'logs');
  mkdirSync(logs);
  for (const name of ['ledger.log', 'ledger.log.1', 'edge.log']) file(path.join('logs', name), []);
  expect(sandboxLogs('ledger', { GERBANG_DATA: folder })).toEqual(
    ['ledger.log', 'ledger.log.1'].map((name) => path.join(logs, name)),
  );
  expect(sandboxLogs('ledger', { GERBANG_DATA: folder, LEDGER_RPC: 'there:9102' })).toEqual([]);
  expect(sandboxLogs('ledger', { GERBANG_DATA: path.join(folder, 'absent') })).toEqual([]);
});
