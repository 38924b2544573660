import { createHash } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { newOperatorKey, operatorAuthorizer } from '@gerbang/neighbours';
import { ListMerchantsRequestSchema, OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { OperatorAdminService, OperatorGateService, Outcome, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type Authorize, openChannel } from '@gerbang/rpc';
import { createAuthority } from '@gerbang/testkit';
import { describe, expect, test } from 'vitest';
import { budi, enrolment, newMerchant, refusalOf, sari, useMerchantService } from './harness.ts';

const system = useMerchantService();
const CREATE = '/gerbang.merchant.v1.OperatorService/CreateMerchant';

const stranger = await newOperatorKey('stranger');
const impostor = await newOperatorKey('budi');

describe('a command is refused, and logged,', () => {
  const now = Date.now();
  const other = toBinary(ListMerchantsRequestSchema, create(ListMerchantsRequestSchema, { limit: 1 }));
  const budis = operatorAuthorizer(budi, 'merchant', () => now);
  const unsigned = `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ iss: 'gerbang-cli', sub: 'budi' })).toString('base64url')}.`;
  const cases: [string, Authorize, string][] = [
    ['without a token', async () => '', 'there is no token'],
    ['with a text that is no token', async () => 'Bearer x.y.z', 'the token can not be read'],
    ['with an unsigned token', async () => unsigned, '"alg"'],
    ['of somebody who is not enrolled', operatorAuthorizer(stranger, 'merchant'), 'no such operator is enrolled'],
    ['under another one’s id, with a key of his own', operatorAuthorizer(impostor, 'merchant'), 'signature verification failed'],
    ['with a token for another service', operatorAuthorizer(budi, 'money-out'), 'unexpected "aud" claim value'],
    ['with a token for another method', ({ request }) => budis({ method: '/x.Y/Z', request }), 'for another method'],
    ['with a token for another request', ({ method }) => budis({ method, request: other }), 'for another request'],
    ['with a token of before', operatorAuthorizer(budi, 'merchant', () => now - 120_000), '"exp" claim timestamp check failed'],
    ['with a token of later', operatorAuthorizer(budi, 'merchant', () => now + 120_000), '"iat" claim timestamp check failed'],
  ];

  test.each(cases)('%s', async (_, authorize, reason) => {
    const { channel, admins, operators } = await system.start({ realNow: () => now });
    const refused = await refusalOf(channel.client(OperatorService, { authorize }).createMerchant(newMerchant));
    expect(refused.code).toBe('unauthorized');
    expect(refused.message).toContain(reason);
    expect((await operators.listMerchants({})).merchants).toEqual([]);
    const { lines } = await admins.listAudit({ limit: 1 });
    expect(lines[0]).toMatchObject({
      operator: '',
      service: 'merchant',
      method: CREATE,
      source: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      outcome: Outcome.REFUSED,
      refusal: 'unauthorized',
      reason: expect.stringContaining(reason),
    });
  });

  test('with a token that was used before; a read may use its own again', async () => {
    const { channel, operators } = await system.start({ realNow: () => now });
    const tokens = new Map<string, Promise<string>>();
    const again: Authorize = (call) => {
      const token = tokens.get(call.method) ?? budis(call);
      tokens.set(call.method, token);
      return token;
    };
    const replayed = channel.client(OperatorService, { authorize: again });
    await replayed.createMerchant(newMerchant);
    const refused = await refusalOf(replayed.createMerchant(newMerchant));
    expect(refused).toMatchObject({ code: 'unauthorized', message: 'the token was used before' });
    for (let i = 0; i < 2; i++) expect((await replayed.listMerchants({})).merchants).toHaveLength(1);
    expect((await operators.listMerchants({})).merchants).toHaveLength(1);
  });

  test('by a role that may not give it, reads too', async () => {
    const { admins, as } = await system.start();
    const [dewi, eka] = [await newOperatorKey('dewi'), await newOperatorKey('eka')];
    await admins.enrolOperator({ operator: enrolment(dewi), role: Role.VIEWER });
    await admins.enrolOperator({ operator: enrolment(eka), role: Role.SUPPORT });
    const merchantId = '01J00000000000000000000000';
    expect((await refusalOf(as(dewi).operators.setFrozen({ merchantId, frozen: true }))).code).toBe('forbidden');
    expect((await refusalOf(as(eka).operators.setFrozen({ merchantId, frozen: true }))).code).toBe('merchant_not_found');
    const fee = { product: 'qris', fixedSen: 1n };
    expect((await refusalOf(as(eka).operators.setFees({ merchantId, fee }))).code).toBe('forbidden');
    expect((await as(dewi).operators.listMerchants({})).merchants).toEqual([]);
    const { lines } = await admins.listAudit({ operator: 'dewi' });
    expect(lines).toMatchObject([{ operator: 'dewi', role: 'viewer', outcome: Outcome.REFUSED, refusal: 'forbidden' }]);
  });

  test('by an operator who was disabled', async () => {
    const { admins, as } = await system.start();
    const dewi = await newOperatorKey('dewi');
    await admins.enrolOperator({ operator: enrolment(dewi), role: Role.SUPPORT });
    expect((await as(dewi).admins.whoAmI({})).operator).toMatchObject({ id: 'dewi', role: Role.SUPPORT, enrolledBy: 'budi' });
    await admins.disableOperator({ id: 'dewi' });
    expect(await refusalOf(as(dewi).admins.whoAmI({}))).toMatchObject({
      code: 'unauthorized',
      message: 'the operator is disabled',
    });
    expect((await refusalOf(admins.setRole({ id: 'dewi', role: Role.SUPPORT }))).code).toBe('bad_request');
    expect((await refusalOf(admins.enrolOperator({ operator: enrolment(dewi), role: Role.VIEWER }))).code).toBe('bad_request');
  });
});

test('a flood of calls without a token has ten entries in the audit log, and one that counts the others', async () => {
  const database = system.newDatabase();
  const flooded = await system.start({ database });
  const anyone = flooded.channel.client(OperatorService);
  const calls = await Promise.allSettled(Array.from({ length: 60 }, () => anyone.setFrozen({})));
  expect(calls.every((call) => call.status === 'rejected')).toBe(true);
  await flooded.close();
  const { admins } = await system.start({ database, withoutOperators: true });
  const { lines } = await admins.listAudit({ limit: 100 });
  const refused = lines.filter(({ refusal }) => refusal === 'unauthorized');
  expect(refused).toHaveLength(11);
  expect(refused[0]).toMatchObject({ source: '127.0.0.1', operator: '', outcome: Outcome.REFUSED });
  expect(JSON.parse(refused[0]?.after ?? '')).toMatchObject({ calls: 50 });
  expect((await admins.verifyAudit({})).problems).toEqual([]);
});

test('with certificates a service begins only its own commands', async () => {
  const certificate = createAuthority();
  const { ca, cert, key } = certificate('merchant');
  const env = { RPC_TLS_CA: ca, RPC_TLS_CERT: cert, RPC_TLS_KEY: key };
  const { service } = await system.start({ withoutOperators: true, env });
  const channels = ['cli', 'money-out'].map((name) =>
    openChannel({ address: `127.0.0.1:${service.port}`, tls: certificate(name) }),
  );
  const [cli, moneyOut] = channels;
  if (cli === undefined || moneyOut === undefined) throw new Error('there are two channels');
  try {
    await cli.client(OperatorAdminService).setUp({ admins: [enrolment(budi), enrolment(sari)] });
    const method = '/x.Y/Z';
    const request = Buffer.from('request');
    const asked = async (audience: string) => {
      const bearer = await operatorAuthorizer(budi, audience)({ method, request });
      const requestHash = createHash('sha256').update(request).digest();
      return { service: audience, method, requestHash, token: bearer.slice('Bearer '.length), roles: [Role.ADMIN], source: 'x' };
    };
    const gate = moneyOut.client(OperatorGateService);
    expect(await refusalOf(gate.begin(await asked('money-in')))).toMatchObject({
      code: 'forbidden',
      message: 'money-out may not begin commands of money-in',
    });
    expect((await gate.begin(await asked('money-out'))).operator?.id).toBe('budi');
    expect((await refusalOf(cli.client(OperatorGateService).begin(await asked('cli')))).code).toBe('forbidden');
  } finally {
    await Promise.all(channels.map((channel) => channel.close()));
  }
});

test('an operator who was written into the database, or changed there, is none', async () => {
  const database = system.newDatabase();
  const { admins, as } = await system.start({ database });
  const dewi = await newOperatorKey('dewi');
  await admins.enrolOperator({ operator: enrolment(dewi), role: Role.SUPPORT });
  const operators = (await system.openDatabase(database)).collection<{ _id: string; public_key?: string }>('operators');
  const known = await operators.findOne({ _id: 'budi' });
  await operators.insertOne({ ...known, _id: 'stranger', public_key: enrolment(stranger).publicKey });
  await operators.updateOne({ _id: 'dewi' }, { $set: { role: 'admin' } });
  for (const key of [stranger, dewi]) {
    expect(await refusalOf(as(key).admins.whoAmI({}))).toMatchObject({
      code: 'unauthorized',
      message: 'no such operator is enrolled',
    });
  }
  expect((await admins.listOperators({})).operators.map(({ id }) => id)).toEqual(['budi', 'sari']);
  await admins.enrolOperator({ operator: enrolment(dewi), role: Role.VIEWER });
  expect((await as(dewi).admins.whoAmI({})).operator).toMatchObject({ id: 'dewi', role: Role.VIEWER });
});

test('operators of before there were MACs are there again after the same set-up', async () => {
  const database = system.newDatabase();
  const first = await system.start({ database });
  const operators = (await system.openDatabase(database)).collection<{ _id: string }>('operators');
  await operators.updateMany({}, { $unset: { kid: '', mac: '' } });
  expect((await refusalOf(first.as(budi).admins.whoAmI({}))).code).toBe('unauthorized');
  await first.channel.client(OperatorAdminService).setUp({ admins: [enrolment(budi), enrolment(sari)] });
  expect((await first.as(budi).admins.whoAmI({})).operator).toMatchObject({ id: 'budi', role: Role.ADMIN });
});

describe('the set-up', () => {
  test('enrols two admins, once; the same again changes nothing', async () => {
    const { channel, admins } = await system.start({ withoutOperators: true });
    const anyone = channel.client(OperatorAdminService);
    const alone = await refusalOf(anyone.setUp({ admins: [enrolment(budi)] }));
    expect(alone).toMatchObject({ code: 'validation', fields: ['admins'] });
    const twice = await refusalOf(anyone.setUp({ admins: [enrolment(budi), { ...enrolment(budi), id: 'budi2' }] }));
    expect(twice).toMatchObject({ code: 'validation', fields: ['admins'] });
    expect((await refusalOf(channel.client(OperatorService).listMerchants({}))).code).toBe('unauthorized');
    const first = { admins: [enrolment(budi), enrolment(sari)] };
    await anyone.setUp(first);
    await anyone.setUp({ admins: [{ ...enrolment(budi), name: 'Nobody' }, enrolment(sari)] });
    expect((await refusalOf(anyone.setUp({ admins: [enrolment(budi), enrolment(stranger)] }))).code).toBe('forbidden');
    expect((await admins.listOperators({})).operators.map(({ id, role }) => [id, role])).toEqual([
      ['budi', Role.ADMIN],
      ['sari', Role.ADMIN],
    ]);
    const { lines } = await admins.listAudit({ target: 'operators' });
    expect(lines.map(({ method, outcome }) => [method.split('/').at(-1), outcome])).toEqual([
      ['SetUp', Outcome.DONE],
      ['SetUp', Outcome.DONE],
    ]);
    expect(lines[0]?.after).not.toContain('Nobody');
  });

  test('a key is one operator’s: no operator gets a second name', async () => {
    const { admins } = await system.start();
    const again = { ...enrolment(budi), id: 'budi2' };
    expect((await refusalOf(admins.enrolOperator({ operator: again, role: Role.VIEWER }))).code).toBe('bad_request');
    const blank = { ...enrolment(budi), id: 'budi ' };
    expect((await refusalOf(admins.enrolOperator({ operator: blank, role: Role.VIEWER }))).fields).toEqual(['operator.id']);
  });
});
