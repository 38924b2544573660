import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AMOUNT_MAX_SEN, deductFee, type FeeRule, feeFor } from '../src/index.ts';

const NOW = 1_790_000_000_000;

const rule = (over: Partial<FeeRule>): FeeRule => ({
  product: 'qris',
  channel: '',
  fixedSen: 0n,
  basisPoints: 0,
  minimumSen: 0n,
  maximumSen: 0n,
  vendorFixedSen: 0n,
  vendorBasisPoints: 0,
  effectiveFromMs: 0,
  effectiveUntilMs: 0,
  ...over,
});
const charge = (amountSen: bigint, over: object = {}) => ({ product: 'qris', channel: '014', amountSen, nowMs: NOW, ...over });

describe('the figures', () => {
  test('of QRIS: the MDR, of which the vendor gets its part', () => {
    expect(deductFee([rule({ basisPoints: 70, vendorBasisPoints: 30 })], charge(25_000_00n))).toEqual({
      feeSen: 175_00n,
      basisPoints: 70,
      vendorFeeSen: 75_00n,
      ourMarginSen: 100_00n,
      netSen: 24_825_00n,
    });
  });

  test('fixed and percentage, within minimum and maximum', () => {
    const rules = [
      rule({ fixedSen: 100_00n, basisPoints: 70, minimumSen: 500_00n, maximumSen: 5_000_00n, vendorFixedSen: 550_00n }),
    ];
    const figures = (amountSen: bigint) => {
      const { feeSen, ourMarginSen } = feeFor(rules, charge(amountSen));
      return [feeSen, ourMarginSen];
    };
    expect(figures(10_000_00n)).toEqual([500_00n, -50_00n]);
    expect(figures(150_000_00n)).toEqual([1_150_00n, 600_00n]);
    expect(figures(100_000_000_00n)).toEqual([5_000_00n, 4_450_00n]);
  });

  test('bounds that are no whole rupiah hold all the same', () => {
    expect(feeFor([rule({ minimumSen: 100_01n })], charge(1n)).feeSen).toBe(101_00n);
    expect(feeFor([rule({ fixedSen: 500_00n, maximumSen: 100_99n })], charge(1n)).feeSen).toBe(100_00n);
  });

  test('money in is never less than nothing', () => {
    expect(deductFee([rule({ fixedSen: 4_000_00n, vendorFixedSen: 3_000_00n })], charge(1_000_00n))).toMatchObject({
      feeSen: 1_000_00n,
      ourMarginSen: -2_000_00n,
      netSen: 0n,
    });
  });

  test('without a rule there is no fee', () => {
    const none = { feeSen: 0n, basisPoints: 0, vendorFeeSen: 0n, ourMarginSen: 0n };
    expect(feeFor([], charge(1n))).toEqual(none);
    expect(feeFor([rule({ product: 'card', fixedSen: 100n })], charge(1n))).toEqual(none);
  });
});

describe('which rule', () => {
  const feeOf = (rules: FeeRule[], over: object = {}) => feeFor(rules, charge(1n, over)).feeSen / 100n;

  test('the channel’s own goes first, then the one that came into effect last', () => {
    const rules = [
      rule({ fixedSen: 1_00n }),
      rule({ fixedSen: 2_00n, effectiveFromMs: 10 }),
      rule({ fixedSen: 3_00n, channel: '014' }),
      rule({ fixedSen: 4_00n, effectiveFromMs: 99 }),
    ];
    expect(feeOf(rules, { channel: '008', nowMs: 9 })).toBe(1n);
    expect(feeOf(rules, { channel: '008', nowMs: 10 })).toBe(2n);
    expect(feeOf(rules, { channel: '008', nowMs: 99 })).toBe(4n);
    expect(feeOf(rules, { channel: '014', nowMs: 99 })).toBe(3n);
  });

  test('one that has ended gives way to the one before it', () => {
    const rules = [
      rule({ fixedSen: 5_00n }),
      rule({ fixedSen: 1_00n, channel: '014', effectiveFromMs: 10, effectiveUntilMs: 20 }),
    ];
    expect([9, 10, 19, 20].map((nowMs) => feeOf(rules, { nowMs }))).toEqual([5n, 1n, 1n, 5n]);
  });
});

describe('whatever the schedule', () => {
  const sen = (max: bigint) => fc.bigInt({ min: 0n, max });
  const basisPoints = fc.integer({ min: 0, max: 10_000 });
  const rules = fc.array(
    fc
      .record({
        channel: fc.constantFrom('', '014', '008'),
        fixedSen: sen(10_000_000n),
        basisPoints,
        minimumSen: sen(100_000n).map((rupiah) => rupiah * 100n),
        span: fc.option(sen(100_000n), { nil: undefined }),
        vendorFixedSen: sen(10_000_000n),
        vendorBasisPoints: basisPoints,
        effectiveFromMs: fc.integer({ min: NOW - 2, max: NOW + 2 }),
        effectiveUntilMs: fc.constantFrom(0, NOW, NOW + 3),
      })
      .map(({ span, ...given }) => rule({ ...given, maximumSen: span === undefined ? 0n : given.minimumSen + span * 100n })),
    { minLength: 1, maxLength: 4 },
  );
  const amount = fc.bigInt({ min: 1n, max: AMOUNT_MAX_SEN });

  test('figures add up and are whole rupiah', () => {
    fc.assert(
      fc.property(rules, amount, (schedule, amountSen) => {
        const { feeSen, vendorFeeSen, ourMarginSen } = feeFor(schedule, charge(amountSen));
        expect(vendorFeeSen + ourMarginSen).toBe(feeSen);
        expect([feeSen % 100n, vendorFeeSen % 100n, feeSen < 0n, vendorFeeSen < 0n]).toEqual([0n, 0n, false, false]);
        const within = deductFee(schedule, charge(amountSen));
        expect(within.netSen + within.vendorFeeSen + within.ourMarginSen).toBe(amountSen);
        expect(within.netSen >= 0n && within.feeSen <= feeSen).toBe(true);
      }),
    );
  });

  test('a fee is within the bounds of its rule', () => {
    fc.assert(
      fc.property(rules, amount, ([first], amountSen) => {
        const always = { ...first, channel: '', effectiveFromMs: 0, effectiveUntilMs: 0 };
        const { feeSen } = feeFor([rule(always)], charge(amountSen));
        expect(feeSen >= (first?.minimumSen ?? 0n)).toBe(true);
        if (first !== undefined && first.maximumSen > 0n) expect(feeSen <= first.maximumSen).toBe(true);
      }),
    );
  });

  test('a larger amount never costs less, and leaves no less', () => {
    // The net amount is compared over whole rupiah: fees are rounded to them.
    fc.assert(
      fc.property(rules, amount, fc.bigInt({ min: 0n, max: 10_000_000n }), (schedule, amountSen, moreRupiah) => {
        const [less, more] = [amountSen, amountSen + moreRupiah * 100n].map((one) => deductFee(schedule, charge(one)));
        expect(more !== undefined && less !== undefined && more.feeSen >= less.feeSen && more.netSen >= less.netSen).toBe(true);
      }),
    );
  });

  test('the order of its rules means nothing, unless two say the same', () => {
    fc.assert(
      fc.property(rules, amount, (schedule, amountSen) => {
        const names = schedule.map(({ channel, effectiveFromMs }) => `${channel}@${effectiveFromMs}`);
        fc.pre(new Set(names).size === names.length);
        expect(feeFor(schedule.toReversed(), charge(amountSen))).toEqual(feeFor(schedule, charge(amountSen)));
      }),
    );
  });
});
