import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hasCardNumber } from '@gerbang/core';
import { Binary, Long, MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { CARD_CANARIES, CVV_CANARY, leaksIn, leaksInDatabases, leaksInFolder, REFERENCE_CANARY } from './canary.ts';
import { startTestMongo } from './mongo.ts';

test('canaries are card numbers', () => {
  for (const canary of [...CARD_CANARIES, REFERENCE_CANARY]) expect(hasCardNumber(canary), canary).toBe(true);
});

test('they are found as they are and in other groups, and a CVV by its name', () => {
  for (const canary of CARD_CANARIES) expect(leaksIn(`{"reason":"no ${canary}!"}`)).toHaveLength(1);
  expect(leaksIn('4532 77182937-2643')).toEqual(['4532771829372643']);
  expect(leaksIn(JSON.stringify({ card_cvv: CVV_CANARY }))).toEqual(['CVV']);
  expect(leaksIn(`took ${CVV_CANARY} ms; 453277******2643; ${REFERENCE_CANARY}`)).toEqual([]);
  expect(leaksIn(`x ${REFERENCE_CANARY}`, [REFERENCE_CANARY])).toEqual([REFERENCE_CANARY]);
});

test.each(['', 'a', 'ab', '{"n":"'])('they are found encoded, after %j', (before) => {
  for (const canary of CARD_CANARIES.filter((card) => /^[0-9]+$/.test(card))) {
    const bytes = Buffer.from(`${before}${canary}","x"`);
    for (const encoding of ['base64', 'base64url', 'hex'] as const) expect(leaksIn(bytes.toString(encoding))).toEqual([canary]);
    expect(leaksIn(Buffer.from(`${before}${canary}`, 'utf16le').toString('latin1'))).toEqual([canary]);
  }
});

test('they are found in files, also in the middle of bytes', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'gerbang-canary-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'clean.log'), 'nothing here');
  await writeFile(path.join(folder, '1.blk'), Buffer.from(`\u0000\u00ff${CARD_CANARIES[0]}\u0001`, 'latin1'));
  expect(await leaksInFolder(folder)).toEqual([`1.blk: ${CARD_CANARIES[0]}`]);
});

test('they are found in every kind of value of a document, and in names', async () => {
  const mongo = await startTestMongo();
  onTestFinished(() => mongo.stop());
  const client = await MongoClient.connect(mongo.uri);
  onTestFinished(() => client.close());
  const [card = ''] = CARD_CANARIES;
  await client
    .db(`${mongo.databasePrefix}shop`)
    .collection<{ _id: number; [field: string]: unknown }>('orders')
    .insertMany([
      { _id: 1, note: 'clean' },
      { _id: 2, customer: { notes: ['a', CARD_CANARIES[1]] } },
      { _id: 3, message: new Binary(Buffer.from(`\n\u0010${card}`)) },
      { _id: 4, amount: Long.fromString(card) },
      { _id: 5, [card]: 1 },
      { _id: 6, card_cvv: CVV_CANARY },
    ]);
  const leaks = await leaksInDatabases(mongo.uri, mongo.databasePrefix);
  expect(leaks.map((leak) => leak.replace(/^.*orders /, '')).sort()).toEqual([
    `2: ${card}`,
    `3: ${card}`,
    `4: ${card}`,
    `5: ${card}`,
    '6: CVV',
  ]);
});
