import { createCipheriv } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { parseKeyRing } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { createKeys, type KeyEncryption, keysRefusals, openEnvKeys, openKeys, type Purpose, parseSealed } from '../src/index.ts';

const ringOf = (...kids: string[]) =>
  parseKeyRing(kids.map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join(',')) ?? expect.fail('no key ring');

/** The keys of an environment, which count how often they are asked, and fail when told to. */
function counted(...kids: string[]) {
  const state = { wraps: 0, unwraps: 0, isAway: false };
  const inner = openEnvKeys(ringOf(...kids));
  const adapter: KeyEncryption = {
    ...inner,
    async wrap(purpose, dataKey) {
      state.wraps++;
      if (state.isAway) throw new Error('away');
      return inner.wrap(purpose, dataKey);
    },
    async unwrap(purpose, key) {
      state.unwraps++;
      if (state.isAway) throw new Error('away');
      return inner.unwrap(purpose, key);
    },
  };
  return { state, adapter };
}

const secret = { purpose: 'client-secret', owner: 'M1:C1' } as const;

describe('a sealed text', () => {
  const keys = createKeys(['client-secret', 'prepaid-token'], [openEnvKeys(ringOf('k1'))]);

  test('opens with its purpose and owner only, and not when anything of it is changed', async () => {
    const sealed = await keys.seal(secret, 'hush');
    expect(await keys.open(secret, sealed)).toBe('hush');
    await expect(keys.open({ ...secret, owner: 'M1:C2' }, sealed)).rejects.toThrow();
    await expect(keys.open({ ...secret, purpose: 'prepaid-token' }, sealed)).rejects.toThrow();
    const parts = sealed.split(':');
    for (const at of [3, 4, 5, 6]) {
      const bytes = Buffer.from(parts[at] ?? '', 'base64');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      const changed = parts.with(at, bytes.toString('base64'));
      await expect(keys.open(secret, changed.join(':')), `part ${at}`).rejects.toThrow();
    }
    for (const text of ['', 'k1', 'k1:a:b:c', `${sealed}:x`, sealed.replace('v2:env', 'v2:file')])
      await expect(keys.open(secret, text), text).rejects.toThrow();
  });

  test('of a purpose that the service was not given is neither sealed nor opened', async () => {
    const notifier = createKeys<Purpose>(['prepaid-token'], [openEnvKeys(ringOf('k1'))]);
    await expect(notifier.open(secret, await keys.seal(secret, 'hush'))).rejects.toThrow('client-secret');
    await expect(notifier.seal(secret, 'hush')).rejects.toThrow('client-secret');
  });
});

describe('data keys', () => {
  test('are wrapped once and reused, and unwrapped once by who opens', async () => {
    const [writer, reader] = [counted('k1'), counted('k1')];
    const [sealing, opening] = [createKeys(['client-secret'], [writer.adapter]), createKeys(['client-secret'], [reader.adapter])];
    const sealed = await Promise.all(Array.from({ length: 50 }, (_, i) => sealing.seal(secret, `${i}`)));
    const texts = await Promise.all(sealed.map((text) => opening.open(secret, text)));
    expect(texts).toEqual(Array.from({ length: 50 }, (_, i) => `${i}`));
    expect([writer.state.wraps, reader.state.unwraps]).toEqual([1, 1]);
    const [one, two] = [await sealing.seal(secret, 'a', { fresh: true }), await sealing.seal(secret, 'a', { fresh: true })];
    expect(new Set([...sealed, one, two].map((text) => parseSealed(text).wrapped)).size).toBe(3);
  });

  test('seal for a bounded time and number; a new key is taken up beside the work', async () => {
    const time = { nowMs: 0 };
    const { state, adapter } = counted('k1');
    const limits = { renewAfterMs: 1_000, usableMs: 10_000, sealsMax: 3 };
    const keys = createKeys(['client-secret'], [adapter], { nowMs: () => time.nowMs, limits });
    const wrapped = async () => parseSealed(await keys.seal(secret, 'a')).wrapped;
    const [first, second, third, fourth] = [await wrapped(), await wrapped(), await wrapped(), await wrapped()];
    expect([second, third]).toEqual([first, first]);
    expect(fourth).not.toBe(first);
    time.nowMs = 1_000;
    expect(await wrapped()).toBe(fourth);
    await setImmediate();
    expect(state.wraps).toBe(3);
    expect(await wrapped()).not.toBe(fourth);
  });

  test('seal on while the keys are away, but not for ever; a failure to open is not remembered', async () => {
    const time = { nowMs: 0 };
    const failed: unknown[] = [];
    const { state, adapter } = counted('k1');
    const keys = createKeys(['client-secret'], [adapter], {
      nowMs: () => time.nowMs,
      limits: { renewAfterMs: 1_000, usableMs: 60_000 },
      failed: (purpose) => failed.push(purpose),
    });
    const foreign = await createKeys(['client-secret'], [openEnvKeys(ringOf('k1'))]).seal(secret, 'theirs');
    await keys.seal(secret, 'a');
    state.isAway = true;
    time.nowMs = 2_000;
    for (let i = 0; i < 10; i++) await keys.seal(secret, 'b');
    await setImmediate();
    expect([state.wraps, failed]).toEqual([2, ['client-secret']]);
    await expect(keys.open(secret, foreign)).rejects.toThrow('away');
    time.nowMs = 60_000;
    await expect(keys.seal(secret, 'c')).rejects.toThrow('away');
    state.isAway = false;
    expect(await keys.open(secret, foreign)).toBe('theirs');
    await keys.seal(secret, 'd');
  });
});

describe('what was sealed before there were data keys', () => {
  const earlier = (aad: string) => {
    const iv = Buffer.alloc(12, 1);
    const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32, 'k1'), iv).setAAD(Buffer.from(aad));
    const data = Buffer.concat([cipher.update('hidden'), cipher.final()]);
    return ['k1', ...[iv, data, cipher.getAuthTag()].map((bytes) => bytes.toString('base64'))].join(':');
  };

  test.each([
    ['withdrawal-code', 'TX1', 'withdrawal-code:TX1'],
    ['client-secret', 'M1:C1', 'client-secret:M1:C1'],
    ['prepaid-token', 'r-1', 'prepaid-token:r-1'],
    ['customer-data', 'charge-token:b-1', 'charge-token:b-1'],
  ] as const)('as a %s opens, and under no other purpose', async (purpose, owner, aad) => {
    const keys = createKeys<Purpose>([purpose, 'signing-key'], [openEnvKeys(ringOf('k2', 'k1'))]);
    expect(await keys.open({ purpose, owner }, earlier(aad))).toBe('hidden');
    await expect(keys.open({ purpose: 'signing-key', owner }, earlier(aad))).rejects.toThrow();
    const without = createKeys<Purpose>([purpose], [openEnvKeys(ringOf('k2'))]);
    await expect(without.open({ purpose, owner }, earlier(aad))).rejects.toThrow('k1');
  });
});

describe('KEYS', () => {
  const config = {
    KEYS_PREFIX: 'gerbang',
    KEYS_VAULT_JWT_FILE: '',
    KEYS_VAULT_AUTH_PATH: 'kubernetes',
    KEYS_VAULT_TOKEN_FILE: undefined,
    KEYS_VAULT_ROLE: undefined,
  };
  const log = { error: () => {} };

  test.each([
    ['file', 'KEYS is not valid'],
    ['file:relative', 'KEYS is not valid'],
    ['vault:nowhere', 'KEYS is not valid'],
    ['env:,env:', 'twice'],
    ['vault:https://vault:8200', 'KEYS_VAULT_TOKEN_FILE'],
    ['env:', 'GERBANG_KEKS'],
  ])('%s is refused', (KEYS, message) =>
    expect(openKeys(['client-secret'], { ...config, KEYS, GERBANG_KEKS: undefined }, log)).rejects.toThrow(message),
  );

  test('moves from one kind of keys to another: the first seals, all open', async () => {
    const before = await openKeys(['client-secret'], { ...config, KEYS: undefined, GERBANG_KEKS: ringOf('k1') }, log);
    const sealed = await before.seal(secret, 'hush');
    const after = await openKeys(['client-secret'], { ...config, KEYS: 'file:/nowhere,env:', GERBANG_KEKS: ringOf('k1') }, log);
    expect(await after.open(secret, sealed)).toBe('hush');
    await expect(after.seal(secret, 'hush')).rejects.toThrow('/nowhere');
  });

  test.each([
    [{ KEYS: undefined, GERBANG_KEKS: undefined }, 1],
    [{ KEYS: undefined, GERBANG_KEKS: ringOf('k1') }, 2],
    [{ KEYS: 'file:/keys,env:', GERBANG_KEKS: ringOf('k1') }, 2],
    [{ KEYS: 'vault:http://vault:8200/transit', GERBANG_KEKS: undefined }, 1],
    [{ KEYS: 'vault:https://vault:8200/transit', GERBANG_KEKS: undefined }, 0],
    [{ KEYS: 'file:/keys', GERBANG_KEKS: undefined }, 0],
    [{ KEYS: 'aws-kms:ap-southeast-3', GERBANG_KEKS: undefined }, 0],
  ])('in production: %j has %i reasons to be refused', (given, count) => expect(keysRefusals(given)).toHaveLength(count));
});
