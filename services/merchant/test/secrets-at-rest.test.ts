import { createCipheriv, randomBytes } from 'node:crypto';
import type { Store } from '@gerbang/store';
import { describe, expect, test } from 'vitest';
import { newMerchant, refusalOf, ring, useMerchantService } from './harness.ts';

const system = useMerchantService();
const operator = 'budi';

/** Every document of every collection, as one text; bytes as text, too. */
async function dump({ db }: Store): Promise<string> {
  let text = '';
  for (const { name } of await db.listCollections().toArray()) {
    for (const document of await db.collection(name).find().toArray()) {
      text += JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      const tail: { payload: { toString(encoding: string): string } }[] = document.tail ?? [];
      for (const { payload } of tail) text += payload.toString('latin1');
    }
  }
  return text;
}

/** The ids of the keys that client secrets and signing keys are sealed under. */
async function kidsOf(store: Store): Promise<string[]> {
  const merchants = await store.collection('merchants').find().toArray();
  const keys = await store.collection('signing_keys').find().toArray();
  const sealed: { kid: string }[] = [
    ...merchants.flatMap((merchant) => merchant.credentials.map((credential: { secret: object }) => credential.secret)),
    ...keys.map((key) => key.private_key),
  ];
  return [...new Set(sealed.map(({ kid }) => kid))];
}

describe('client secrets', () => {
  test('are nowhere in the database in clear: not in state, events or audit', async () => {
    const database = system.newDatabase();
    const { operators } = await system.start({ database });
    const made = await operators.createMerchant(newMerchant);
    const { merchantId, clientId } = made;
    const added = await operators.addCredential({ operator, merchantId });
    const rotated = await operators.rotateSecret({ operator, merchantId, clientId });
    await operators.disableCredential({ operator, merchantId, clientId: added.clientId });
    const text = await dump(await system.openDatabase(database));
    expect(text).toContain(clientId);
    for (const secret of [made.clientSecret, added.clientSecret, rotated.clientSecret]) {
      const bytes = Buffer.from(secret, 'base64url');
      for (const form of [secret, Buffer.from(secret).toString('base64'), bytes.toString('base64'), bytes.toString('hex')]) {
        expect(text.includes(form)).toBe(false);
      }
    }
  });

  test('copied to another merchant open nothing', async () => {
    const database = system.newDatabase();
    const { operators, merchants } = await system.start({ database });
    const rich = await operators.createMerchant(newMerchant);
    const thief = await operators.createMerchant(newMerchant);
    const collection = (await system.openDatabase(database)).collection<{ _id: string; credentials: object[] }>('merchants');
    const stolen = await collection.findOne({ _id: rich.merchantId });
    await collection.updateOne({ _id: thief.merchantId }, { $set: { credentials: stolen?.credentials ?? [] } });
    const refused = refusalOf(merchants.getAccess({ by: { case: 'merchantId', value: thief.merchantId } }));
    expect((await refused).code).toBe('internal');
  });

  test('are sealed again by command under load when the key rotates; then the old one may go', async () => {
    const database = system.newDatabase();
    const before = await system.start({ database, env: { GERBANG_KEKS: ring('old', 'new') } });
    const { merchantId, clientId, clientSecret } = await before.operators.createMerchant(newMerchant);
    const second = await before.operators.addCredential({ operator, merchantId });
    const busy = await before.operators.createMerchant(newMerchant);
    const { accessToken } = await before.merchants.issueToken({ merchantId, clientId });
    const { keys } = await before.merchants.listVerificationKeys({});
    const store = await system.openDatabase(database);
    expect(await kidsOf(store)).toEqual(['v2:env:old']);
    await before.close();

    const during = await system.start({ database, env: { GERBANG_KEKS: ring('new', 'old') } });
    const { places } = await during.keys.listPlaces({});
    expect(places.map(({ name, purpose, newestKid }) => [name, purpose, newestKid])).toEqual([
      ['merchants', 'client-secret', 'v2:env:new'],
      ['signing_keys', 'signing-key', 'v2:env:new'],
    ]);
    const { counts } = await during.keys.countSealed({ place: 'merchants' });
    expect(counts.map(({ kid, count }) => [kid, count])).toEqual([['v2:env:old', 3n]]);
    const work = { isDone: false, secret: busy.clientSecret };
    const writing = (async () => {
      while (!work.isDone) {
        const rotated = await during.operators.rotateSecret({ operator, merchantId: busy.merchantId, clientId: busy.clientId });
        work.secret = rotated.clientSecret;
        const { access } = await during.merchants.getAccess({ by: { case: 'merchantId', value: busy.merchantId } });
        expect(access?.credentials[0]?.clientSecret).toBe(work.secret);
      }
    })();
    for (let walk = 0; walk < 5; walk++)
      for (const { name } of places) expect((await during.keys.reseal({ place: name })).failed).toBe(0n);
    work.isDone = true;
    await writing;
    for (const { name } of places) await during.keys.reseal({ place: name });
    expect(await kidsOf(store)).toEqual(['v2:env:new']);
    const { lines } = await during.admins.listAudit({ limit: 1 });
    expect(lines[0]).toMatchObject({ operator: 'budi', method: '/gerbang.keys.v1.KeyService/Reseal', target: 'signing_keys' });
    await during.close();

    const after = await system.start({ database, env: { GERBANG_KEKS: ring('new') } });
    const { access } = await after.merchants.getAccess({ by: { case: 'clientId', value: clientId } });
    expect(access?.credentials).toMatchObject([
      { clientSecret, generation: 1n },
      { clientSecret: second.clientSecret, generation: 1n },
    ]);
    const changed = await after.merchants.getAccess({ by: { case: 'merchantId', value: busy.merchantId } });
    expect(changed.access?.credentials[0]?.clientSecret).toBe(work.secret);
    expect((await after.merchants.listVerificationKeys({})).keys).toEqual(keys);
    const again = await after.merchants.issueToken({ merchantId, clientId });
    expect(again.accessToken.split('.')[0]).toBe(accessToken.split('.')[0]);
  });

  test('that were sealed before there were data keys open, and are sealed again', async () => {
    const database = system.newDatabase();
    const service = await system.start({ database });
    const { merchantId, clientId, clientSecret } = await service.operators.createMerchant(newMerchant);
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32, 'first'), iv);
    cipher.setAAD(Buffer.from(`client-secret:${merchantId}:${clientId}`));
    const data = Buffer.concat([cipher.update(clientSecret), cipher.final()]).toString('base64');
    const earlier = { kid: 'first', iv: iv.toString('base64'), data, tag: cipher.getAuthTag().toString('base64') };
    const merchants = (await system.openDatabase(database)).collection<{ _id: string }>('merchants');
    await merchants.updateOne({ _id: merchantId }, { $set: { 'credentials.0.secret': earlier } });
    const secretNow = async () => {
      const { access } = await service.merchants.getAccess({ by: { case: 'clientId', value: clientId } });
      return access?.credentials[0]?.clientSecret;
    };
    expect(await secretNow()).toBe(clientSecret);
    expect((await service.keys.countSealed({ place: 'merchants' })).counts).toMatchObject([{ kid: 'first', count: 1n }]);
    expect(await service.keys.reseal({ place: 'merchants' })).toMatchObject({ resealed: 1n, failed: 0n });
    expect((await service.keys.countSealed({ place: 'merchants' })).counts).toMatchObject([{ kid: 'v2:env:first', count: 1n }]);
    expect(await secretNow()).toBe(clientSecret);
  });
});
