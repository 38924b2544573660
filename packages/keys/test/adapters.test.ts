import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CreateAliasCommand, CreateKeyCommand, KMSClient, UpdateAliasCommand } from '@aws-sdk/client-kms';
import { parseKeyRing } from '@gerbang/core';
import { eventually } from '@gerbang/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import {
  createKeys,
  type KeyEncryption,
  kubernetesLogin,
  openEnvKeys,
  openFileKeys,
  openKmsKeys,
  openVaultKeys,
  type Purpose,
  parseSealed,
  tokenFromFile,
} from '../src/index.ts';
import { startKmsFake } from './kms-fake.ts';
import { startVaultFake } from './vault-fake.ts';

const USED = ['client-secret', 'prepaid-token'] as const;
const ACCESS = { accessKeyId: 'test', secretAccessKey: 'test' };
const closing: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-keys-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A kind of key-encryption keys: `reopen` opens it as another process does, `rotate` gives every purpose a new key. */
type Kind = { reopen(): KeyEncryption | Promise<KeyEncryption>; rotate(): void | Promise<void> };

async function envKind(): Promise<Kind> {
  const roots: string[] = [];
  const rotate = () => {
    roots.unshift(`k${roots.length + 1}:${randomBytes(32).toString('base64')}`);
  };
  return { rotate, reopen: () => openEnvKeys(parseKeyRing(roots.join(',')) ?? expect.fail('no key ring')) };
}

function newKeyFile(folder: string, kid: string) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${kid}.key`), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
}

async function fileKind(): Promise<Kind> {
  const folder = newFolder();
  let count = 0;
  const rotate = () => {
    count++;
    for (const purpose of USED) {
      newKeyFile(path.join(folder, purpose), `k${count}`);
      writeFileSync(path.join(folder, purpose, 'current'), `k${count}\n`);
    }
  };
  return { rotate, reopen: () => openFileKeys(folder) };
}

async function vaultKind(): Promise<Kind> {
  const vault = await startVaultFake();
  closing.push(() => vault.close());
  const tokenFile = path.join(newFolder(), 'token');
  writeFileSync(tokenFile, 's.all\n');
  vault.policies.set(
    's.all',
    USED.map((purpose) => `gerbang-${purpose}`),
  );
  const reopen = () => openVaultKeys({ url: vault.url, prefix: 'gerbang', login: tokenFromFile(tokenFile) });
  const rotate = () => {
    for (const purpose of USED) vault.rotate(`gerbang-${purpose}`);
  };
  return { reopen, rotate };
}

async function kmsKind(): Promise<Kind> {
  const kms = await startKmsFake();
  closing.push(() => kms.close());
  const reopen = () => openKmsKeys({ region: 'ap-southeast-3', prefix: 'gerbang', endpoint: kms.endpoint, credentials: ACCESS });
  const rotate = () => {
    for (const purpose of USED) kms.rotate(`alias/gerbang-${purpose}`);
  };
  return { reopen, rotate };
}

const HAS_MOTO = spawnSync('python3', ['-c', 'import moto.server']).status === 0;
if (!HAS_MOTO) process.stderr.write('the tests against moto are skipped: python3 -m pip install "moto[server]"\n');

async function motoKind(): Promise<Kind> {
  const port = await freePort();
  const moto = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  closing.push(() => moto.kill('SIGKILL'));
  const endpoint = `http://127.0.0.1:${port}`;
  await eventually('moto answers', () => fetch(endpoint).then(Boolean, () => false), 30_000);
  const client = new KMSClient({ region: 'us-east-1', endpoint, credentials: ACCESS });
  let first = true;
  const rotate = async () => {
    for (const purpose of USED) {
      const { KeyMetadata } = await client.send(new CreateKeyCommand({}));
      const alias = { AliasName: `alias/gerbang-${purpose}`, TargetKeyId: KeyMetadata?.KeyId };
      await (first ? client.send(new CreateAliasCommand(alias)) : client.send(new UpdateAliasCommand(alias)));
    }
    first = false;
  };
  return { rotate, reopen: () => openKmsKeys({ region: 'us-east-1', prefix: 'gerbang', endpoint, credentials: ACCESS }) };
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

describe.each([
  ['env', envKind, true],
  ['file', fileKind, true],
  ['vault', vaultKind, true],
  ['aws-kms', kmsKind, true],
  ['aws-kms', motoKind, HAS_MOTO],
] as const)('%s keys', (name, start, isThere) => {
  const secret = { purpose: 'client-secret', owner: 'M1:C1' } as const;
  const keysOf = async (kind: Kind) => createKeys<Purpose>(USED, [await kind.reopen()]);

  test.skipIf(!isThere)('what one process seals another opens, and the old key opens after a rotation', async () => {
    const kind = await start();
    await kind.rotate();
    const writer = await keysOf(kind);
    const before = await writer.seal(secret, 'hush');
    expect(parseSealed(before).kid).toMatch(new RegExp(`^v2:${name}:`));
    await kind.rotate();
    const reader = await keysOf(kind);
    expect(await reader.open(secret, before)).toBe('hush');
    const after = await reader.seal(secret, 'hush');
    expect(parseSealed(after).kid).not.toBe(parseSealed(before).kid);
    expect(await reader.open(secret, after)).toBe('hush');
  });

  test.skipIf(!isThere)('a ciphertext of one purpose opens under no other, and a data key unwraps for no other', async () => {
    const kind = await start();
    await kind.rotate();
    const keys = await keysOf(kind);
    const sealed = await keys.seal({ purpose: 'prepaid-token', owner: 'M1:C1' }, '20 digits');
    await expect(keys.open(secret, sealed)).rejects.toThrow();
    const adapter = await kind.reopen();
    const dataKey = randomBytes(32);
    const wrapped = await adapter.wrap('prepaid-token', dataKey);
    await expect(adapter.unwrap('client-secret', wrapped)).rejects.toThrow();
    expect(Buffer.from(await adapter.unwrap('prepaid-token', wrapped))).toEqual(dataKey);
  });
});

describe('key files', () => {
  const secret = { purpose: 'client-secret', owner: 'a' } as const;

  test.each([0o640, 0o604, 0o660, 0o666])('that others can read are refused: mode %o', async (mode) => {
    const folder = newFolder();
    newKeyFile(path.join(folder, 'client-secret'), 'k1');
    writeFileSync(path.join(folder, 'client-secret', 'current'), 'k1');
    chmodSync(path.join(folder, 'client-secret', 'k1.key'), mode);
    const keys = createKeys(['client-secret'], [openFileKeys(folder)]);
    await expect(keys.seal(secret, 'x')).rejects.toThrow('chmod 600');
  });

  test('a kid from the database can not leave the folder', async () => {
    const adapter = openFileKeys(newFolder());
    const wrapped = randomBytes(60);
    for (const kid of ['../client-secret/k1', '..', 'a/b']) {
      await expect(adapter.unwrap('prepaid-token', { kid, wrapped })).rejects.toThrow('a key id has');
      await expect(adapter.earlierKey(kid)).rejects.toThrow('a key id has');
    }
  });

  test('a service that was given one purpose has no key of another', async () => {
    const folder = newFolder();
    newKeyFile(path.join(folder, 'prepaid-token'), 'k1');
    const keys = createKeys(['client-secret'], [openFileKeys(folder)]);
    await expect(keys.seal(secret, 'x')).rejects.toThrow('ENOENT');
  });
});

describe('Vault', () => {
  const secret = { purpose: 'prepaid-token', owner: 'r-1' } as const;

  test('logs a pod in by its service account; its policy opens its own purpose only', async () => {
    const vault = await startVaultFake();
    closing.push(() => vault.close());
    for (const purpose of USED) vault.rotate(`gerbang-${purpose}`);
    vault.jwts.set('jwt-of-notifier', { role: 'gerbang-notifier', allowed: ['gerbang-prepaid-token'] });
    const jwtFile = path.join(newFolder(), 'jwt');
    writeFileSync(jwtFile, 'jwt-of-notifier');
    const login = kubernetesLogin({ role: 'gerbang-notifier', jwtFile, path: 'kubernetes' });
    const keys = createKeys<Purpose>(USED, [openVaultKeys({ url: vault.url, prefix: 'gerbang', login })]);
    const sealed = await keys.seal(secret, 'digits');
    expect(await keys.open(secret, sealed)).toBe('digits');
    await expect(keys.seal({ purpose: 'client-secret', owner: 'a' }, 'x')).rejects.toThrow('permission denied');
    // A token that was revoked is replaced.
    vault.policies.clear();
    await keys.newestKid('prepaid-token');
    expect(vault.state.logins).toBeGreaterThan(1);
  });

  test('is asked again after a 503, and is unavailable when it stays away', async () => {
    const vault = await startVaultFake();
    closing.push(() => vault.close());
    vault.rotate('gerbang-prepaid-token');
    vault.policies.set('t', ['gerbang-prepaid-token']);
    const login = async () => ({ token: 't', livesMs: 60_000 });
    const keys = createKeys(['prepaid-token'], [openVaultKeys({ url: vault.url, prefix: 'gerbang', login })]);
    vault.state.fail = 2;
    expect(await keys.open(secret, await keys.seal(secret, 'digits'))).toBe('digits');
    vault.state.fail = 100;
    await expect(keys.newestKid('prepaid-token')).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
  });
});

test('KMS is unavailable when it can not be reached, and a missing key is not', async () => {
  const kms = await startKmsFake();
  closing.push(() => kms.close());
  const settings = { region: 'ap-southeast-3', prefix: 'gerbang', endpoint: kms.endpoint, credentials: ACCESS };
  const keys = createKeys(['prepaid-token'], [await openKmsKeys(settings)]);
  await expect(keys.newestKid('prepaid-token')).rejects.toThrow('does not exist');
  kms.state.fail = 100;
  await expect(keys.newestKid('prepaid-token')).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
});
