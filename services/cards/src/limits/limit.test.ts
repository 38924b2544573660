import { describe, expect, test } from 'vitest';
import { DEFAULT_VELOCITY_LIMITS, isOverrun, parseVelocityLimits } from './limit.ts';

describe('limits against card testing', () => {
  test('are there by default for all that is counted', () => {
    const by = parseVelocityLimits(DEFAULT_VELOCITY_LIMITS)?.map((limit) => limit.by);
    expect(by).toEqual(['card', 'bin', 'merchant', 'merchant', 'client', 'caller', 'caller']);
  });

  test.each([
    ['merchant', 3_000],
    ['caller', 9_000],
  ] as const)('bound the declines of a %s by %i, however many attempts never end', (by, declines) => {
    const limits = parseVelocityLimits(DEFAULT_VELOCITY_LIMITS)?.filter((limit) => limit.by === by) ?? [];
    const isClosed = (seen: number) => limits.some((limit) => isOverrun(limit, { attempts: 10_000_000, declines: seen }));
    expect([isClosed(declines - 1), isClosed(declines)]).toEqual([false, true]);
  });

  test.each([
    ['an empty list', '[]', true],
    ['attempts only', '[{"by":"card","seconds":60,"attempts":3}]', true],
    ['two windows of a key', '[{"by":"card","seconds":60,"attempts":3},{"by":"card","seconds":3600,"declines":5}]', true],
    ['no JSON', 'by card', false],
    ['an object', '{"by":"card","seconds":60,"attempts":3}', false],
    ['a key that is not counted', '[{"by":"email","seconds":60,"attempts":3}]', false],
    ['a limit of nothing', '[{"by":"card","seconds":60}]', false],
    ['a share of no declines', '[{"by":"bin","seconds":60,"attempts":3,"declined_percent":50}]', false],
    ['the same window twice', '[{"by":"card","seconds":60,"attempts":3},{"by":"card","seconds":60,"declines":3}]', false],
    ['a window of a week', '[{"by":"card","seconds":604800,"attempts":3}]', false],
    ['a field that is not known', '[{"by":"card","seconds":60,"attempts":3,"block":true}]', false],
  ])('are read from JSON: %s', (_what, text, isRead) => {
    expect(parseVelocityLimits(text) !== undefined).toBe(isRead);
  });
});

test.each([
  [{ declines: 5 }, { attempts: 100, declines: 4 }, false],
  [{ declines: 5 }, { attempts: 100, declines: 5 }, true],
  [{ declines: 5, declined_percent: 80 }, { attempts: 100, declines: 79 }, false],
  [{ declines: 5, declined_percent: 80 }, { attempts: 100, declines: 80 }, true],
  // Its attempts were in the window before.
  [{ declines: 5, declined_percent: 80 }, { attempts: 0, declines: 5 }, true],
  [{ attempts: 1 }, { attempts: 100, declines: 100 }, false],
])('a window of %j that has seen %j closes: %s', (bounds, seen, isClosed) => {
  expect(isOverrun({ by: 'bin', seconds: 60, ...bounds }, seen)).toBe(isClosed);
});
