import { isRefusal } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { currentSettings } from '../callback-settings/callback-settings.ts';
import {
  CREDENTIALS_MAX,
  decide,
  evolve,
  FEES_MAX,
  type Merchant,
  type MerchantCommand,
  newestActiveCredential,
  newMerchant,
} from './merchant.ts';

const NOW = 1_790_000_000_000;
const sealed = (text: string) => `v2:env:k1:${text}:${text}:${text}:${text}`;
const fee = {
  product: 'disbursement',
  channel: '014',
  fixedSen: 100n,
  basisPoints: 0,
  minimumSen: 0n,
  maximumSen: 0n,
  vendorFixedSen: 0n,
  vendorBasisPoints: 0,
  effectiveFromMs: 0,
  effectiveUntilMs: 0,
};
const limit = { product: 'qris-issuer', minimumSen: 1n, maximumSen: 2n, dailyMaximumSen: 3n, monthlyMaximumSen: 0n };

const merchant = newMerchant(
  {
    name: 'Toko',
    partnerId: 'pk_1',
    partition: 'p0',
    defaultAccountId: 'a1',
    products: ['qris'],
    ipWhitelist: ['127.0.0.1'],
    clientId: 'ck_1',
    secret: sealed('s1'),
  },
  NOW,
);

/** Applies commands that must not be refused. */
function carryOut(state: Merchant, ...commands: MerchantCommand[]): Merchant {
  return commands.reduce((current, command) => {
    const events = decide(current, command, NOW);
    if (isRefusal(events)) throw new Error(events.message);
    return events.reduce(evolve, current);
  }, state);
}

describe('what happens', () => {
  const disabled = carryOut(merchant, { type: 'disable-credential', clientId: 'ck_1' });
  const cases: [string, Merchant, MerchantCommand, unknown][] = [
    ['a secret is rotated', merchant, { type: 'rotate-secret', clientId: 'ck_1', secret: sealed('s2') }, ['secret-rotated']],
    ['a secret of nobody', merchant, { type: 'rotate-secret', clientId: 'ck_9', secret: sealed('s2') }, 'not_found'],
    ['a disabled secret', disabled, { type: 'rotate-secret', clientId: 'ck_1', secret: sealed('s2') }, 'bad_request'],
    ['a credential is disabled', merchant, { type: 'disable-credential', clientId: 'ck_1' }, ['credential-disabled']],
    ['again', disabled, { type: 'disable-credential', clientId: 'ck_1' }, []],
    ['one of nobody', merchant, { type: 'disable-credential', clientId: 'ck_9' }, 'not_found'],
    ['the list is set', merchant, { type: 'set-whitelist', clientId: undefined, entries: [] }, ['whitelist-set']],
    ['as it was', merchant, { type: 'set-whitelist', clientId: undefined, entries: ['127.0.0.1'] }, []],
    ['of a credential', merchant, { type: 'set-whitelist', clientId: 'ck_1', entries: ['::1'] }, ['whitelist-set']],
    ['of nobody’s credential', merchant, { type: 'set-whitelist', clientId: 'ck_9', entries: [] }, 'not_found'],
    ['products are set', merchant, { type: 'set-products', products: [] }, ['products-set']],
    ['as they were', merchant, { type: 'set-products', products: ['qris'] }, []],
    ['a fee is set', merchant, { type: 'set-fee', fee, isApproved: false }, ['fee-set']],
    [
      'as it was',
      carryOut(merchant, { type: 'set-fee', fee, isApproved: false }),
      { type: 'set-fee', fee: { ...fee }, isApproved: false },
      [],
    ],
    ['a limit is set', merchant, { type: 'set-limit', limit }, ['limit-set']],
    ['as it was', carryOut(merchant, { type: 'set-limit', limit }), { type: 'set-limit', limit: { ...limit } }, []],
    [
      'another day',
      carryOut(merchant, { type: 'set-limit', limit }),
      { type: 'set-limit', limit: { ...limit, dailyMaximumSen: 4n } },
      ['limit-set'],
    ],
    ['it is frozen', merchant, { type: 'set-frozen', frozen: true }, ['frozen']],
    ['it is not frozen', merchant, { type: 'set-frozen', frozen: false }, []],
    ['callbacks as they were', merchant, { type: 'set-callbacks', settings: { signatureEnabled: true } }, []],
    ['callbacks', merchant, { type: 'set-callbacks', settings: { signatureEnabled: false } }, ['callbacks-set']],
  ];
  test.each(cases)('%s', (_, state, command, expected) => {
    const decided = decide(state, command, NOW);
    expect(isRefusal(decided) ? decided.refused : decided.map(({ type }) => type)).toEqual(expected);
  });
});

describe('what is then', () => {
  test('rotating and disabling grow the generation', () => {
    const generations = (state: Merchant) => state.credentials.map(({ generation }) => generation);
    expect(generations(merchant)).toEqual([1]);
    const rotated = carryOut(merchant, { type: 'rotate-secret', clientId: 'ck_1', secret: sealed('s2') });
    expect(generations(rotated)).toEqual([2]);
    expect(generations(carryOut(rotated, { type: 'disable-credential', clientId: 'ck_1' }))).toEqual([3]);
  });

  test('the newest active credential signs webhooks', () => {
    const two = carryOut(merchant, { type: 'add-credential', clientId: 'ck_2', secret: sealed('s2') });
    expect(newestActiveCredential(two)?.clientId).toBe('ck_2');
    const one = carryOut(two, { type: 'disable-credential', clientId: 'ck_2' });
    expect(newestActiveCredential(one)?.clientId).toBe('ck_1');
    expect(newestActiveCredential(carryOut(one, { type: 'disable-credential', clientId: 'ck_1' }))).toBeUndefined();
  });

  test('a fee replaces the one of the same product, channel and time alone', () => {
    const fees = carryOut(
      merchant,
      { type: 'set-fee', fee, isApproved: false },
      { type: 'set-fee', fee: { ...fee, effectiveFromMs: NOW }, isApproved: false },
      { type: 'set-fee', fee: { ...fee, fixedSen: 7n }, isApproved: false },
    ).fees;
    expect(fees.map((one) => [one.product, one.channel, one.fixedSen, one.basisPoints, one.effectiveFromMs])).toEqual([
      ['disbursement', '', 250_000n, 0, 0],
      ['qris', '', 0n, 70, 0],
      ['disbursement', '014', 100n, 0, NOW],
      ['disbursement', '014', 7n, 0, 0],
    ]);
  });

  test('nothing grows without bound', () => {
    let full = merchant;
    for (let i = 1; i < CREDENTIALS_MAX; i++) {
      full = carryOut(full, { type: 'add-credential', clientId: `ck_${i}x`, secret: sealed('s') });
    }
    for (let i = 1; i <= FEES_MAX - merchant.fees.length; i++)
      full = carryOut(full, { type: 'set-fee', fee: { ...fee, effectiveFromMs: i }, isApproved: false });
    expect(decide(full, { type: 'add-credential', clientId: 'ck_z', secret: sealed('s') }, NOW)).toMatchObject({
      refused: 'bad_request',
    });
    expect(decide(full, { type: 'set-fee', fee: { ...fee, effectiveFromMs: NOW }, isApproved: false }, NOW)).toMatchObject({
      refused: 'validation',
    });
    expect(
      decide(full, { type: 'set-fee', fee: { ...fee, fixedSen: 9n, effectiveFromMs: 1 }, isApproved: false }, NOW),
    ).toMatchObject([{ type: 'fee-set' }]);
  });

  test('callbacks hold from now on', () => {
    const settings = { signatureEnabled: true, disbursementNotifUrl: 'https://a.example/' };
    expect(currentSettings(carryOut(merchant, { type: 'set-callbacks', settings }).callbacks)).toEqual(settings);
  });
});
