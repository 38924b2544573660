import { createLogger } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import type { EntryContent } from '../audit/entry.ts';
import { logRefusedTokens } from './refused-tokens.ts';

function open(options: { windowMs?: number; fails?: () => boolean } = {}) {
  const entries: Partial<EntryContent>[] = [];
  const lines: string[] = [];
  const refused = logRefusedTokens({
    audit: {
      async append(entry) {
        if (options.fails?.()) throw new Error('the database is away');
        entries.push(entry);
        return 0n;
      },
    },
    log: createLogger({ service: 'test', level: 'info' }, { write: (line) => lines.push(line) }),
    realNow: () => 0,
    newId: () => 'id',
    ...(options.windowMs !== undefined && { windowMs: options.windowMs }),
  });
  const flood = async (calls: number, sourceOf: (n: number) => string) => {
    for (let n = 0; n < calls; n++) await refused.write({ source: sourceOf(n), reason: 'there is no token' });
  };
  return { refused, entries, lines, flood };
}

const summaries = (entries: Partial<EntryContent>[]) =>
  entries.flatMap(({ source, after }) => (after === undefined ? [] : [[source, JSON.parse(after).calls]]));

test('a source gets ten entries, over all its connections, and one that counts the rest; another source gets its own', async () => {
  const { refused, entries, flood } = open();
  await flood(1_000, (n) => `10.0.0.1:${n} money-out`);
  await flood(2, () => '10.0.0.2:1 money-out');
  expect(entries).toHaveLength(12);
  expect(entries[0]).toMatchObject({ source: '10.0.0.1:0 money-out', refusal: 'unauthorized', outcome: 'refused' });
  await refused.close();
  expect(summaries(entries)).toEqual([['10.0.0.1 money-out', 990]]);
});

test('many sources together are bounded too', async () => {
  const { refused, entries, flood } = open();
  await flood(10_000, (n) => `[2001:db8::${n.toString(16)}]:50000`);
  await refused.close();
  expect(entries).toHaveLength(20 + 10 + 1);
  expect(summaries(entries)).toEqual([['further sources', 10_000 - 30]]);
});

test('after a window the rest is written, and the source has entries again', async () => {
  const { refused, entries, flood } = open({ windowMs: 20 });
  await flood(11, () => '10.0.0.1:1');
  await eventually('the rest is written', () => summaries(entries).length === 1);
  await flood(10, () => '10.0.0.1:1');
  expect(entries).toHaveLength(21);
  await refused.close();
  expect(entries).toHaveLength(21);
});

test('what cannot be written is in the log', async () => {
  let away = false;
  const { refused, lines, flood } = open({ fails: () => away });
  await flood(15, () => '10.0.0.1:1');
  away = true;
  await refused.close();
  expect(lines.join('')).toContain('"suppressed":5');
});
