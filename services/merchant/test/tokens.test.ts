import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newMerchant, type Running, refusalOf, useMerchantService } from './harness.ts';

const system = useMerchantService();

/**
 * Checks a token as the edge does: with the published key that it names. Undefined when there is none such, or it does not
 * verify.
 */
async function claimsOf({ merchants }: Running, token: string): Promise<Record<string, unknown> | undefined> {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { alg, kid } = decode(header);
  expect(alg).toBe('EdDSA');
  const { keys } = await merchants.listVerificationKeys({});
  const key = keys.find((published) => published.kid === kid);
  if (key === undefined) return undefined;
  const publicKey = createPublicKey({ key: Buffer.from(key.publicKey), format: 'der', type: 'spki' });
  const valid = verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url'));
  return valid ? decode(payload) : undefined;
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

describe('a token', () => {
  test('carries merchant, client and generation, and verifies with the published key', async () => {
    const nowMs = 1_790_000_000_123;
    const running = await system.start({ realNow: () => nowMs });
    const { merchantId, clientId } = await running.operators.createMerchant(newMerchant);
    const issued = await running.merchants.issueToken({ merchantId, clientId });
    expect(issued).toMatchObject({ expiresInSeconds: 900, expiresAtMs: 1_790_000_900_000n });
    const claims = await claimsOf(running, issued.accessToken);
    expect(claims).toEqual({
      iss: 'gerbang',
      sub: merchantId,
      cid: clientId,
      gen: 1,
      jti: expect.stringMatching(/^[0-9A-Z]{26}$/),
      iat: 1_790_000_000,
      exp: 1_790_000_900,
    });
    const again = await running.merchants.issueToken({ merchantId, clientId });
    expect((await claimsOf(running, again.accessToken))?.jti).not.toBe(claims?.jti);
    const [header = '', , signature = ''] = issued.accessToken.split('.');
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody else' })).toString('base64url');
    expect(await claimsOf(running, `${header}.${forged}.${signature}`)).toBeUndefined();
  });

  test('has the generation that rotating the secret has given the credential', async () => {
    const running = await system.start();
    const { merchantId, clientId } = await running.operators.createMerchant(newMerchant);
    await running.operators.rotateSecret({ operator: 'budi', merchantId, clientId });
    const { accessToken } = await running.merchants.issueToken({ merchantId, clientId });
    expect((await claimsOf(running, accessToken))?.gen).toBe(2);
  });

  test('is for active credentials of the merchant alone', async () => {
    const { merchants, operators } = await system.start();
    const mine = await operators.createMerchant(newMerchant);
    const other = await operators.createMerchant(newMerchant);
    const notMine = refusalOf(merchants.issueToken({ merchantId: mine.merchantId, clientId: other.clientId }));
    expect((await notMine).code).toBe('merchant_not_found');
    await operators.disableCredential({ operator: 'budi', merchantId: mine.merchantId, clientId: mine.clientId });
    const disabled = refusalOf(merchants.issueToken({ merchantId: mine.merchantId, clientId: mine.clientId }));
    expect((await disabled).code).toBe('merchant_not_found');
  });
});

describe('signing keys', () => {
  test('stay over a restart, and are shared by replicas that start at once', async () => {
    const database = system.newDatabase();
    const [one, two, three] = await Promise.all([
      system.start({ database }),
      system.start({ database }),
      system.start({ database }),
    ]);
    const { merchantId, clientId } = await one.operators.createMerchant(newMerchant);
    const { accessToken } = await one.merchants.issueToken({ merchantId, clientId });
    const byOther = await two.merchants.issueToken({ merchantId, clientId });
    await Promise.all([one.close(), two.close(), three.close()]);
    const restarted = await system.start({ database });
    expect((await claimsOf(restarted, accessToken))?.sub).toBe(merchantId);
    expect((await claimsOf(restarted, byOther.accessToken))?.sub).toBe(merchantId);
    expect((await restarted.merchants.listVerificationKeys({})).keys).toHaveLength(1);
  });

  test('are never in the database in clear', async () => {
    const database = system.newDatabase();
    await system.start({ database });
    const store = await system.openDatabase(database);
    const [stored] = await store.collection('signing_keys').find().toArray();
    expect(Object.keys(stored ?? {}).sort()).toEqual(['_id', 'kid', 'private_key', 'public_key', 'schema', 'signs_from']);
    const { iv, data } = stored?.private_key ?? {};
    // An Ed25519 key in PKCS #8 has 48 bytes, of which the first 16 are always these.
    expect(Buffer.from(data, 'base64')).toHaveLength(48);
    expect(Buffer.from(data, 'base64').toString('hex')).not.toContain('302e020100300506032b6570');
    expect(iv).toBeTypeOf('string');
  });
});
