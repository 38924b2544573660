import { describe, expect, test } from 'vitest';
import { ConcurrencyLimit } from '../src/http/concurrency-limit.ts';

const BOUNDS = { initial: 256, min: 32, max: 2_000, burst: 256 };

/** What a stretch of simulated time came to. */
type Outcome = { finishedPerSecond: number; refusedShare: number; meanMs: number; p99Ms: number; limit: number };

/** Where requests go: tells when one that begins now will have ended. */
type Backend = (nowMs: number) => number;

/** A machine that does so many a second and lets the rest wait; each takes at least `workMs`. */
function machine(perSecond: number, workMs: number): Backend {
  let freeMs = 0;
  return (nowMs) => {
    freeMs = Math.max(freeMs, nowMs) + 1_000 / perSecond;
    return Math.max(freeMs, nowMs + workMs);
  };
}

/** An open loop in simulated time, whose state goes on from one stretch to the next. */
function simulate(limit: ConcurrencyLimit) {
  let nowMs = 0;
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  let underWay: { startedAtMs: number; endsAtMs: number }[] = [];
  return function run(seconds: number, perSecond: number, backend: Backend): Outcome {
    const endMs = nowMs + seconds * 1_000;
    const tookMs: number[] = [];
    let refused = 0;
    let arrived = 0;
    while (nowMs < endMs) {
      nowMs += (-Math.log(random()) * 1_000) / perSecond;
      const ended = underWay.filter(({ endsAtMs }) => endsAtMs <= nowMs).sort((a, b) => a.endsAtMs - b.endsAtMs);
      if (ended.length > 0) underWay = underWay.filter(({ endsAtMs }) => endsAtMs > nowMs);
      for (const { startedAtMs, endsAtMs } of ended) {
        limit.leave(startedAtMs, endsAtMs, { didWork: true });
        tookMs.push(endsAtMs - startedAtMs);
      }
      arrived++;
      if (limit.enter(nowMs)) underWay.push({ startedAtMs: nowMs, endsAtMs: backend(nowMs) });
      else refused++;
    }
    tookMs.sort((a, b) => a - b);
    return {
      finishedPerSecond: tookMs.length / seconds,
      refusedShare: refused / arrived,
      meanMs: tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length,
      p99Ms: tookMs[Math.floor(tookMs.length * 0.99)] ?? 0,
      limit: limit.limit,
    };
  };
}

describe('a machine that does 800 a second, 15 ms each', () => {
  test('within what it can do nobody is refused', () => {
    const run = simulate(new ConcurrencyLimit(BOUNDS));
    expect(run(30, 700, machine(800, 15)).refusedShare).toBe(0);
  });

  test.each([1_600, 8_000])('offered %i a second it goes on at its best, for as long as that lasts', (offered) => {
    const run = simulate(new ConcurrencyLimit(BOUNDS));
    const backend = machine(800, 15);
    run(2, 400, backend);
    run(3, offered, backend);
    for (let minute = 0; minute < 3; minute++) {
      const steady = run(60, offered, backend);
      expect(steady.finishedPerSecond).toBeGreaterThan(760);
      expect(steady.p99Ms).toBeLessThan(150);
    }
  });

  test('that is overloaded from its first moment is brought down within seconds', () => {
    const run = simulate(new ConcurrencyLimit(BOUNDS));
    const backend = machine(800, 15);
    run(25, 1_600, backend);
    const steady = run(60, 1_600, backend);
    expect(steady.finishedPerSecond).toBeGreaterThan(760);
    expect(steady.p99Ms).toBeLessThan(150);
  });

  test('and recovers once it is left alone', () => {
    const run = simulate(new ConcurrencyLimit(BOUNDS));
    const backend = machine(800, 15);
    run(30, 3_000, backend);
    run(5, 700, backend);
    expect(run(30, 700, backend).refusedShare).toBeLessThan(0.001);
  });
});

test('a machine that becomes slower is offered less', () => {
  const run = simulate(new ConcurrencyLimit(BOUNDS));
  run(20, 1_600, machine(800, 15));
  const slower = machine(200, 15);
  run(40, 1_600, slower);
  const steady = run(30, 1_600, slower);
  expect(steady.finishedPerSecond).toBeGreaterThan(190);
  expect(steady.p99Ms).toBeLessThan(450);
});

describe('a bank that takes its time', () => {
  test('is no overload, however long it takes: nobody is refused for long when it becomes slow', () => {
    const run = simulate(new ConcurrencyLimit(BOUNDS));
    const bank = (workMs: number) => machine(100_000, workMs);
    expect(run(20, 400, bank(20)).refusedShare).toBe(0);
    run(25, 400, bank(2_000));
    expect(run(30, 400, bank(2_000)).refusedShare).toBeLessThan(0.01);
    expect(run(30, 400, bank(20)).refusedShare).toBe(0);
  });

  test('and one that takes very different times is none either', () => {
    const run = simulate(new ConcurrencyLimit(BOUNDS));
    let count = 0;
    const bank: Backend = (nowMs) => nowMs + (count++ % 10 === 0 ? 3_000 : 100 + (count % 7) * 60);
    run(30, 400, bank);
    expect(run(120, 400, bank).refusedShare).toBeLessThan(0.01);
  });

  test('keeps its permits also while the machine in front of it is overloaded', () => {
    const run = simulate(new ConcurrencyLimit(BOUNDS));
    const backend = machine(800, 500);
    run(30, 1_600, backend);
    const steady = run(30, 1_600, backend);
    expect(steady.finishedPerSecond).toBeGreaterThan(720);
    expect(steady.p99Ms).toBeLessThan(1_500);
  });
});

test('a permit is given back after any outcome of the request, and what did no work teaches nothing', () => {
  const limit = new ConcurrencyLimit({ initial: 2, min: 1, max: 10, burst: 0 });
  for (let i = 0; i < 1_000; i++) {
    expect([limit.enter(i), limit.enter(i), limit.enter(i), limit.isFull]).toEqual([true, true, false, true]);
    limit.leave(i, i + 10_000, { didWork: false });
    limit.leave(i, i + 10_000, { didWork: false });
  }
  expect([limit.limit, limit.inFlight]).toEqual([2, 0]);
});

describe('a burst', () => {
  const overloaded = () => {
    const limit = new ConcurrencyLimit(BOUNDS);
    simulate(limit)(30, 1_600, machine(800, 15));
    return limit;
  };
  const enterAtOnce = (limit: ConcurrencyLimit, nowMs: number) => {
    let entered = 0;
    while (limit.enter(nowMs)) entered++;
    return entered;
  };

  test('after a calm is let in, however few permits there are', () => {
    const limit = overloaded();
    while (limit.inFlight > 0) limit.leave(29_990, 30_000, { didWork: false });
    expect(limit.limit).toBeLessThan(100);
    expect(enterAtOnce(limit, 31_000)).toBe(limit.limit + BOUNDS.burst);
  });

  test('after a calm is let in also where the load ended while the time of the work itself was measured', () => {
    const limit = new ConcurrencyLimit(BOUNDS);
    const run = simulate(limit);
    for (let round = 0; round < 40; round++) {
      run(0.5 + (round % 7) / 10, 1_600, machine(800, 15));
      const nowMs = 1e9 * (round + 1);
      while (limit.inFlight > 0) limit.leave(nowMs, nowMs, { didWork: false });
      limit.enter(nowMs + 1_100);
      limit.leave(nowMs + 1_100, nowMs + 1_115, { didWork: true });
      expect(enterAtOnce(limit, nowMs + 1_200)).toBeGreaterThanOrEqual(BOUNDS.burst + BOUNDS.min);
      while (limit.inFlight > 0) limit.leave(nowMs + 1_200, nowMs + 1_200, { didWork: false });
    }
  });

  test('is let in once: while it goes on there are only the permits', () => {
    const limit = overloaded();
    while (limit.inFlight > 0) limit.leave(29_990, 30_000, { didWork: false });
    expect(enterAtOnce(limit, 30_100)).toBe(limit.limit);
    while (limit.inFlight > 0) limit.leave(30_100, 30_200, { didWork: false });
    expect(enterAtOnce(limit, 30_400)).toBe(limit.limit + BOUNDS.burst);
    while (limit.inFlight * 2 >= limit.limit) limit.leave(30_400, 30_500, { didWork: false });
    expect(enterAtOnce(limit, 30_600)).toBe(limit.limit - Math.floor((limit.limit - 1) / 2));
  });
});
