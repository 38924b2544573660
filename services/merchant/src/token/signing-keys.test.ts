import { createPublicKey, verify } from 'node:crypto';
import { parseKeyRing } from '@gerbang/core';
import { createKeys, openEnvKeys } from '@gerbang/keys';
import { connectStore, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signJwt } from './jwt.ts';
import { PUBLISHED_BEFORE_MS, TOKEN_LIFE_MS } from './key-schedule.ts';
import { openSigningKeys, type SigningKeys } from './signing-keys.ts';

const ROTATION_MS = 86_400_000;
const keysOf = (text: string) => {
  const ring = parseKeyRing(text) ?? expect.fail('no key ring');
  return createKeys(['signing-key'], [openEnvKeys(ring)]);
};
const keys = keysOf(`k1:${Buffer.alloc(32, 'k').toString('base64')}`);

let mongo: TestMongo;
const stores: Store[] = [];

beforeAll(async () => {
  mongo = await startTestMongo();
});

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await mongo.stop();
});

/** Replicas on one fresh database, with a time that the test moves. */
async function replicas(count: number) {
  const database = `${mongo.databasePrefix}${stores.length}`;
  const store = await connectStore({ uri: mongo.uri, database, appName: 'test' });
  stores.push(store);
  const time = { nowMs: 1_790_000_000_000 };
  const open = () => openSigningKeys({ store, keys, rotationMs: ROTATION_MS, realNow: () => time.nowMs, log: testLog() });
  const all = await Promise.all(Array.from({ length: count }, open));
  const refresh = () => Promise.all(all.map((keys) => keys.refresh()));
  const close = () => Promise.all(all.map((keys) => keys.close()));
  return { all, time, refresh, close };
}

async function sign(keys: SigningKeys): Promise<{ kid: string; token: string }> {
  const { kid, privateKey } = await keys.current();
  const claims = { iss: 'gerbang', sub: 'm', cid: 'c', gen: 1, jti: 'j', iat: 0, exp: 900 };
  return { kid, token: signJwt(claims, kid, privateKey) };
}

async function verifies(keys: SigningKeys, { kid, token }: { kid: string; token: string }): Promise<boolean> {
  const key = (await keys.published()).find((published) => published.kid === kid);
  if (key === undefined) return false;
  const publicKey = createPublicKey({ key: Buffer.from(key.publicKey), format: 'der', type: 'spki' });
  const dot = token.lastIndexOf('.');
  return verify(null, Buffer.from(token.slice(0, dot)), publicKey, Buffer.from(token.slice(dot + 1), 'base64url'));
}

const kidsOf = async (keys: SigningKeys | undefined) => (await keys?.published())?.map(({ kid }) => kid);

test('a key is published before it signs, and kept until its last token has expired', async () => {
  const { all, time, refresh, close } = await replicas(1);
  const [keys] = all;
  if (keys === undefined) throw new Error('no replica');
  const first = await sign(keys);
  time.nowMs += ROTATION_MS - PUBLISHED_BEFORE_MS;
  await refresh();
  const [known, next, ...more] = (await kidsOf(keys)) ?? [];
  expect([known, more]).toEqual([first.kid, []]);
  time.nowMs += PUBLISHED_BEFORE_MS - 1;
  const last = await sign(keys);
  expect(last.kid).toBe(first.kid);
  time.nowMs += 1;
  expect((await sign(keys)).kid).toBe(next);
  time.nowMs += TOKEN_LIFE_MS;
  await refresh();
  expect(await verifies(keys, last)).toBe(true);
  time.nowMs += 120_000;
  await refresh();
  expect(await kidsOf(keys)).toEqual([next]);
  expect(await verifies(keys, last)).toBe(false);
  await close();
});

test('replicas that look at once make one key, and verify what the others have signed', async () => {
  const { all, time, refresh, close } = await replicas(4);
  const [one, two] = all;
  if (one === undefined || two === undefined) throw new Error('no replicas');
  expect(await kidsOf(one)).toHaveLength(1);
  expect(await verifies(two, await sign(one))).toBe(true);
  time.nowMs += ROTATION_MS;
  await refresh();
  const kids = await kidsOf(one);
  expect(kids).toHaveLength(2);
  expect(await kidsOf(two)).toEqual(kids);
  time.nowMs += PUBLISHED_BEFORE_MS;
  expect((await sign(one)).kid).toBe(kids?.[1]);
  expect(await verifies(one, await sign(two))).toBe(true);
  await close();
});

test.each([
  ['k1', 'other'],
  ['k2', 'unknown'],
])('a database filled under another key is refused by name, and stays as it is: %s %s', async (kid, key) => {
  const { all, close } = await replicas(1);
  const store = stores.at(-1);
  const other = keysOf(`${kid}:${Buffer.alloc(32, key).toString('base64')}`);
  if (store === undefined) throw new Error('there is one');
  const opening = openSigningKeys({ store, keys: other, rotationMs: ROTATION_MS, realNow: () => 0, log: testLog() });
  await expect(opening).rejects.toThrow(new RegExp(`^database ${store.db.databaseName} .*GERBANG_KEKS.*MONGODB_DB_PREFIX`));
  expect(await kidsOf(all[0])).toHaveLength(1);
  await close();
});
