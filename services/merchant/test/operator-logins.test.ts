import { generateKeyPairSync, sign } from 'node:crypto';
import { loginAuthorizer, newLoginKey, newOperatorKey } from '@gerbang/neighbours';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { OperatorAdminService, Outcome, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { Authorize } from '@gerbang/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { createOidcProvider } from '../src/oidc/provider.ts';
import { budi, enrolment, newMerchant, refusalOf, sari, useMerchantService } from './harness.ts';
import { AUDIENCE, type Issuer, startIssuer, type Twist } from './oidc-issuer.ts';

const system = useMerchantService();
const SUBJECT = 'dewi@example.com';
let issuer: Issuer;

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

/** A service that knows the issuer, and dewi as an operator who logs in there. */
async function startWithDewi(role = Role.ADMIN, env: Record<string, string> = {}) {
  const running = await system.start({ env: { ...issuer.env, ...env } });
  await running.admins.enrolOperator({ operator: { id: 'dewi', name: 'Dewi', oidcSubject: SUBJECT }, role });
  return running;
}

test('who has logged in at the provider gives commands, by the role of the registry', async () => {
  const { loggedIn, admins } = await startWithDewi(Role.SUPPORT);
  const dewi = loggedIn(await issuer.login(SUBJECT));
  expect((await dewi.admins.whoAmI({})).operator).toMatchObject({
    id: 'dewi',
    role: Role.SUPPORT,
    issuer: issuer.issuer,
    subject: SUBJECT,
    publicKey: '',
  });
  expect((await refusalOf(dewi.operators.createMerchant(newMerchant))).code).toBe('forbidden');
  await admins.disableOperator({ id: 'dewi' });
  expect(await refusalOf(dewi.admins.whoAmI({}))).toMatchObject({ message: 'the operator is disabled' });
});

test('a person with a login and one with a key approve each other', async () => {
  const { loggedIn, as, operators } = await startWithDewi();
  const { merchantId } = await operators.createMerchant(newMerchant);
  const dewi = loggedIn(await issuer.login(SUBJECT));
  const order = { operator: 'dewi', merchantId };
  const proposed = await refusalOf(dewi.operators.addCredential(order));
  expect(proposed.code).toBe('approval_needed');
  // Another login of the same person is the same person.
  const again = loggedIn(await issuer.login(SUBJECT));
  expect((await refusalOf(again.operators.addCredential(order))).message).toContain('dewi has proposed');
  expect((await as(sari).operators.addCredential(order)).clientSecret).not.toBe('');
  const { lines } = await dewi.admins.listAudit({ limit: 1, service: 'merchant' });
  expect(lines[0]).toMatchObject({ operator: 'sari', proposer: 'dewi', outcome: Outcome.DONE });
});

describe('a login is refused, and logged,', () => {
  const now = Math.floor(Date.now() / 1_000);
  const cases: [string, string, Twist][] = [
    ['for another client', '"aud"', { audience: 'another-client' }],
    ['for several clients', 'for others too', { audience: [AUDIENCE, 'another-client'] }],
    ['issued to another client', 'issued to another client', { claims: { azp: 'another-client' } }],
    ['of another issuer', '"iss"', { claims: { iss: 'https://other.example' } }],
    ['that has expired', 'gerbang login again', { claims: { exp: now - 60 } }],
    ['that is older than may be', 'gerbang login again', { claims: { iat: now - 1_000 } }],
    ['from the future', '"iat"', { claims: { iat: now + 300 } }],
    ['with another nonce', 'for another key', { nonce: 'x' }],
    ['with an access token', 'type at+jwt', { header: { typ: 'at+jwt' } }],
    ['with a logout token', 'type logout+jwt', { header: { typ: 'logout+jwt' } }],
    ['of somebody who is not enrolled', 'stranger of http', { claims: { sub: 'stranger' } }],
    ['by password alone', 'must be by mfa or hwk', { claims: { amr: ['pwd'], acr: 'high' } }],
    ['without a word of how', 'must be by mfa or hwk', { claims: { acr: 'high' } }],
    ['at a low level', 'must be high', { claims: { amr: ['mfa'], acr: 'low' } }],
  ];

  test('each for its reason; a good one is not', async () => {
    const strict = { OPERATOR_OIDC_REQUIRE_AMR: 'mfa,hwk', OPERATOR_OIDC_REQUIRE_ACR: 'high' };
    const { loggedIn, admins } = await startWithDewi(Role.ADMIN, strict);
    const good = { amr: ['pwd', 'mfa'], acr: 'high' };
    for (const [what, reason, twist] of cases) {
      const claims =
        twist.claims?.amr === undefined && twist.claims?.acr === undefined ? { ...good, ...twist.claims } : twist.claims;
      const dewi = loggedIn(await issuer.login(SUBJECT, { ...twist, claims }));
      const refused = await refusalOf(dewi.operators.createMerchant(newMerchant));
      expect([what, refused.code, refused.message]).toEqual([what, 'unauthorized', expect.stringContaining(reason)]);
    }
    // The first ten of a minute have entries of their own.
    const { lines } = await admins.listAudit({ limit: 100 });
    const reasons = lines
      .filter(({ outcome, operator }) => outcome === Outcome.REFUSED && operator === '')
      .map((line) => line.reason);
    expect(reasons.toReversed()).toEqual(cases.slice(0, 10).map(([, reason]) => expect.stringContaining(reason)));
    const dewi = loggedIn(await issuer.login(SUBJECT, { claims: good }));
    expect((await dewi.operators.createMerchant(newMerchant)).merchantId).not.toBe('');
  });

  test('with a stolen ID token and another key', async () => {
    const { loggedIn } = await startWithDewi();
    const { idToken } = await issuer.login(SUBJECT);
    const { privateKey } = await newLoginKey();
    const refused = await refusalOf(loggedIn({ idToken, privateKey }).admins.whoAmI({}));
    expect(refused).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('issued for another key') });
  });

  test('with the public key of the login, and the signature of another one', async () => {
    const { channel } = await startWithDewi();
    const whole = loginAuthorizer(await issuer.login(SUBJECT), 'merchant');
    const { privateKey } = generateKeyPairSync('ed25519');
    const authorize: Authorize = async (call) => {
      const signed = (await whole(call)).replace(/\.[\w-]+$/, '');
      const signature = sign(null, Buffer.from(signed.replace('Bearer ', '')), privateKey);
      return `${signed}.${signature.toString('base64url')}`;
    };
    const refused = await refusalOf(channel.client(OperatorAdminService, { authorize }).whoAmI({}));
    expect(refused).toMatchObject({ code: 'unauthorized', message: 'signature verification failed' });
  });

  test('for another request, or when it comes twice', async () => {
    const { channel } = await startWithDewi();
    const whole = loginAuthorizer(await issuer.login(SUBJECT), 'merchant');
    const other = channel.client(OperatorService, { authorize: ({ method }) => whole({ method, request: new Uint8Array() }) });
    expect((await refusalOf(other.createMerchant(newMerchant))).message).toBe('the token is for another request');
    let token: Promise<string> | undefined;
    const authorize: Authorize = (call) => {
      token ??= whole(call);
      return token;
    };
    const replayed = channel.client(OperatorService, { authorize });
    await replayed.createMerchant(newMerchant);
    expect((await refusalOf(replayed.createMerchant(newMerchant))).message).toBe('the token was used before');
  });

  test.each(['none', 'HS256'] as const)('with an ID token of the algorithm %s', async (algorithm) => {
    const { loggedIn } = await startWithDewi();
    const refused = await refusalOf(loggedIn(await issuer.forged(SUBJECT, algorithm)).admins.whoAmI({}));
    expect(refused).toMatchObject({ code: 'unauthorized', message: expect.stringMatching(/alg/i) });
  });

  test('where no provider is configured', async () => {
    const { loggedIn, admins } = await system.start();
    const refused = await refusalOf(loggedIn(await issuer.login(SUBJECT)).admins.whoAmI({}));
    expect(refused.message).toContain('OPERATOR_OIDC_ISSUER is not set');
    const operator = { id: 'dewi', name: 'Dewi', oidcSubject: SUBJECT };
    expect((await refusalOf(admins.enrolOperator({ operator, role: Role.VIEWER }))).fields).toEqual(['operator.oidc_subject']);
  });
});

describe('the role claim', () => {
  const env = { OPERATOR_OIDC_ROLE_CLAIM: 'groups', OPERATOR_OIDC_ROLES: 'pay-admins=admin,pay-support=support' };

  test('gives no more than the registry, and may give less', async () => {
    const { loggedIn } = await startWithDewi(Role.FINANCE, env);
    const roleOf = async (groups: unknown) =>
      (await loggedIn(await issuer.login(SUBJECT, { claims: { groups } })).admins.whoAmI({})).operator?.role;
    expect(await roleOf(['pay-support', 'pay-admins'])).toBe(Role.FINANCE);
    expect(await roleOf('pay-support')).toBe(Role.SUPPORT);
    const none = loggedIn(await issuer.login(SUBJECT, { claims: { groups: ['staff'] } }));
    expect(await refusalOf(none.admins.whoAmI({}))).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('no role'),
    });
  });
});

describe('the provider’s keys', () => {
  test('are read once, and anew when one is unknown; a withdrawn one is refused then', async () => {
    const { oidc } = readConfig({ ...issuerless, ...issuer.env });
    if (oidc === undefined) throw new Error('there is no provider');
    const provider = createOidcProvider(oidc, { cooldownMs: 0 });
    const check = async (idToken: string) => provider.check(idToken, { nonce: 'n', nowMs: Date.now() });
    const tokenOf = async () => (await issuer.login(SUBJECT, { nonce: 'n' })).idToken;
    const before = { ...issuer.asked };
    const old = await tokenOf();
    for (let i = 0; i < 3; i++) expect(await check(old)).toEqual({ subject: SUBJECT, roleMax: undefined });
    expect(issuer.asked).toEqual({ discovery: before.discovery + 1, keys: before.keys + 1 });
    await issuer.rotate();
    expect(await check(await tokenOf())).toEqual({ subject: SUBJECT, roleMax: undefined });
    expect(await check(old)).toMatchObject({ reason: expect.stringContaining('no applicable key') });
    await issuer.usesUnpublishedKey();
    expect(await check(await tokenOf())).toMatchObject({ reason: expect.stringContaining('signature') });
    await issuer.rotate();
  });

  test('an unknown key makes the provider be asked once in a while only', async () => {
    const { loggedIn } = await startWithDewi();
    const dewi = loggedIn(await issuer.login(SUBJECT));
    await dewi.admins.whoAmI({});
    const { keys } = issuer.asked;
    for (let i = 0; i < 5; i++) {
      const unknown = loggedIn(await issuer.login(SUBJECT, { header: { kid: `x${i}` } }));
      expect((await refusalOf(unknown.admins.whoAmI({}))).code).toBe('unauthorized');
    }
    expect(issuer.asked.keys).toBe(keys);
  });

  test('where the provider does not answer, logins are unavailable, and keys are not', async () => {
    const { loggedIn, as } = await startWithDewi();
    issuer.answers(false);
    try {
      const dewi = loggedIn(await issuer.login(SUBJECT));
      const refused = await refusalOf(dewi.operators.createMerchant(newMerchant));
      expect(refused).toMatchObject({ code: 'unavailable', message: expect.stringContaining(issuer.issuer) });
      const { lines } = await as(budi).admins.listAudit({ limit: 1 });
      expect(lines[0]).toMatchObject({ operator: '', outcome: Outcome.REFUSED, refusal: 'unavailable' });
    } finally {
      issuer.answers(true);
    }
    const dewi = loggedIn(await issuer.login(SUBJECT));
    await expect.poll(() => dewi.admins.whoAmI({}).then(({ operator }) => operator?.id), { timeout: 5_000 }).toBe('dewi');
  });
});

describe('enrolment', () => {
  test('a subject is one operator’s; an operator has a key or a subject', async () => {
    const { admins } = await startWithDewi(Role.VIEWER);
    const again = { id: 'dewi2', name: 'Dewi', oidcSubject: SUBJECT };
    expect((await refusalOf(admins.enrolOperator({ operator: again, role: Role.VIEWER }))).code).toBe('bad_request');
    const both = { ...enrolment(await newOperatorKey('eka')), oidcSubject: 'eka' };
    const neither = { id: 'eka', name: 'Eka' };
    for (const operator of [both, neither]) {
      expect((await refusalOf(admins.enrolOperator({ operator, role: Role.VIEWER }))).fields).toEqual(['operator.public_key']);
    }
  });

  test('the first two admins have keys', async () => {
    const { admins } = await system.start({ env: issuer.env, withoutOperators: true });
    const first = [enrolment(budi), { ...enrolment(sari), oidcSubject: SUBJECT }];
    expect((await refusalOf(admins.setUp({ admins: first }))).fields).toEqual(['admins.oidc_subject']);
  });
});

const issuerless = {
  GERBANG_ENV: 'sandbox',
  MONGODB_URI: 'mongodb://127.0.0.1',
  NATS_URL: 'nats://127.0.0.1',
  LEDGER_RPC: '127.0.0.1:1',
  GERBANG_KEKS: `k:${Buffer.alloc(32).toString('base64')}`,
  CHAIN_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
};

test.each([
  ['an audience without an issuer', { OPERATOR_OIDC_AUDIENCE: 'x' }, 'needed together'],
  ['roles without their claim', { OPERATOR_OIDC_ROLES: 'x=admin' }, 'needed together'],
  ['a role that is none', { OPERATOR_OIDC_ROLE_CLAIM: 'g', OPERATOR_OIDC_ROLES: 'x=root' }, 'OPERATOR_OIDC_ROLES is not valid'],
  ['a login that is good for days', { OPERATOR_OIDC_MAX_AGE_SECONDS: '86400' }, 'OPERATOR_OIDC_MAX_AGE_SECONDS is not valid'],
  [
    'a provider without TLS in production',
    { GERBANG_ENV: 'production', OPERATOR_OIDC_ISSUER: 'http://id.example', OPERATOR_OIDC_AUDIENCE: 'x' },
    'OPERATOR_OIDC_ISSUER is not safe',
  ],
])('the service does not start with %s', (_, variables, problem) => {
  expect(() => readConfig({ ...issuerless, ...variables })).toThrow(problem);
});
