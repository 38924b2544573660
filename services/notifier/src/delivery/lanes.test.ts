import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLanes, type Job, type Lanes } from './lanes.ts';

/** A job that runs until told how it ends; it may be told before that its endpoint has answered. */
function job() {
  const ended = Promise.withResolvers<boolean>();
  const seen = { started: false, expired: false };
  let answer = (_acknowledged: boolean) => {};
  const made: Job = {
    run: (answered) => {
      seen.started = true;
      answer = answered;
      return ended.promise;
    },
    expire: async () => {
      seen.expired = true;
    },
  };
  return { job: made, seen, answer: (ok: boolean) => answer(ok), end: (ok: boolean) => ended.resolve(ok) };
}

/** Lets everything that is ready run. */
const settle = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

/** Adds as many jobs; which of them have started. */
function add(lanes: Lanes, endpoint: string, count: number) {
  const jobs = Array.from({ length: count }, job);
  for (const each of jobs) lanes.add(endpoint, each.job);
  return {
    jobs,
    started: () => jobs.filter(({ seen }) => seen.started).length,
    expired: () => jobs.filter(({ seen }) => seen.expired).length,
    answer: (i: number, ok: boolean) => jobs[i]?.answer(ok),
    end: (i: number, ok: boolean) => jobs[i]?.end(ok),
  };
}

/** An endpoint that has acknowledged or refused so often. */
async function known(lanes: Lanes, endpoint: string, times: number, ok: boolean) {
  for (let i = 0; i < times; i++) {
    add(lanes, endpoint, 1).end(0, ok);
    await settle();
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a new endpoint has two places, one more with each acknowledgement, up to its bound', async () => {
  const lanes = createLanes({ perEndpoint: 4, overall: 100 });
  const { started, end } = add(lanes, 'e', 20);
  expect(started()).toBe(2);
  const open: number[] = [];
  for (let i = 0; i < 4; i++) {
    end(i, true);
    await settle();
    open.push(started() - (i + 1));
  }
  expect(open).toEqual([3, 4, 4, 4]);
});

test('an endpoint that keeps failing gets one attempt at a time; when it answers its lane opens again one by one', async () => {
  const lanes = createLanes({ perEndpoint: 4, overall: 100 });
  await known(lanes, 'dead', 5, false);
  expect(lanes.room('dead')).toBe(1);
  const { started, end } = add(lanes, 'dead', 10);
  expect(started()).toBe(1);
  end(0, false);
  await settle();
  expect(started()).toBe(2);
  const more = add(lanes, 'dead', 10);
  end(1, true);
  await settle();
  expect(more.started()).toBe(2);
  more.end(0, true);
  await settle();
  expect(more.started()).toBe(4);
});

test('lanes take turns, so that a long queue keeps nobody out', async () => {
  const lanes = createLanes({ perEndpoint: 2, overall: 2 });
  const long = add(lanes, 'long', 20);
  const [a, b] = [add(lanes, 'a', 1), add(lanes, 'b', 1)];
  expect([long.started(), a.started(), b.started()]).toEqual([2, 0, 0]);
  long.end(0, true);
  await settle();
  long.end(1, true);
  await settle();
  expect([a.started(), b.started()]).toEqual([1, 1]);
});

test('endpoints that fail have half of all places together, however many they are', async () => {
  const lanes = createLanes({ perEndpoint: 2, overall: 8 });
  const dead = Array.from({ length: 10 }, (_, i) => `dead ${i}`);
  for (const endpoint of dead) await known(lanes, endpoint, 1, false);
  const failing = dead.map((endpoint) => add(lanes, endpoint, 2));
  const underWay = () => failing.reduce((sum, { started }) => sum + started(), 0);
  expect(underWay()).toBe(4);
  const sound = ['a', 'b'].map((endpoint) => add(lanes, endpoint, 2));
  expect(sound.map(({ started }) => started())).toEqual([2, 2]);
  failing[0]?.end(0, false);
  await settle();
  expect(underWay()).toBe(5);
});

test('attempts that last are counted among those that fail, before anybody knows how they end', async () => {
  const lanes = createLanes({ perEndpoint: 2, overall: 4 });
  const slow = [add(lanes, 'slow', 2), add(lanes, 'slower', 1)];
  vi.advanceTimersByTime(1_500);
  // They have half of all places already and get no other one.
  const more = add(lanes, 'slower', 1);
  expect([...slow, more].map(({ started }) => started())).toEqual([2, 1, 0]);
  expect(add(lanes, 'sound', 1).started()).toBe(1);
});

test('there is room for what soon gets its turn: little for an endpoint that fails, and no more than the process may hold', async () => {
  const lanes = createLanes({ perEndpoint: 8, overall: 4 });
  // Of 32 never more than half of what others leave.
  expect(lanes.room('new')).toBe(16);
  add(lanes, 'new', 12);
  expect(lanes.room('new')).toBe(4);
  for (let i = 0; i < 8; i++) add(lanes, `other ${i}`, 1);
  expect([lanes.room('new'), lanes.room('yet another')]).toEqual([0, 6]);
  lanes.suspect('failing', 1);
  expect(lanes.room('failing')).toBe(2);
  lanes.suspect('dead', 9);
  expect(lanes.room('dead')).toBe(1);
});

test('a lane that has run half empty asks for more', async () => {
  const asked: string[] = [];
  const lanes = createLanes({ perEndpoint: 1, overall: 100 }, (endpoint) => asked.push(endpoint));
  const { end } = add(lanes, 'e', 64);
  for (let i = 0; i < 31; i++) {
    end(i, true);
    await settle();
  }
  expect([asked, lanes.isHalfEmpty('e')]).toEqual([[], false]);
  end(31, true);
  await settle();
  expect([asked, lanes.isHalfEmpty('e')]).toEqual([['e'], true]);
});

test('there is room for as much as a lane works off in two seconds', async () => {
  const lanes = createLanes({ perEndpoint: 1, overall: 100 });
  for (let i = 0; i < 30; i++) {
    const { end } = add(lanes, 'leisurely', 1);
    vi.advanceTimersByTime(500);
    end(0, true);
    await settle();
  }
  expect(lanes.room('leisurely')).toBe(4);
});

test('a place is free when the endpoint has answered; what is still to be recorded is bounded by itself', async () => {
  const lanes = createLanes({ perEndpoint: 1, overall: 100 });
  const { started, answer, end } = add(lanes, 'e', 10);
  for (let i = 0; i < 5; i++) answer(i, true);
  expect([started(), lanes.room('e')]).toEqual([4, 54]);
  end(0, true);
  await settle();
  expect([started(), lanes.room('e')]).toEqual([5, 55]);
});

test('a lane that turns out to be dead gives back what waits in it', async () => {
  const lanes = createLanes({ perEndpoint: 2, overall: 100 });
  const { started, expired, end } = add(lanes, 'e', 20);
  for (let i = 0; i < 5; i++) {
    end(i, false);
    await settle();
  }
  // The last of five that failed leaves one under way, and the next one.
  expect([started(), expired(), lanes.room('e')]).toEqual([6, 13, 0]);
  expect(lanes.room('another')).toBe(128);
});

test('what waits when closing is given back, and closing waits for the rest', async () => {
  const lanes = createLanes({ perEndpoint: 1, overall: 100 });
  const { jobs, end } = add(lanes, 'e', 2);
  let closed = false;
  const closing = lanes.close().then(() => {
    closed = true;
  });
  await settle();
  expect([jobs[1]?.seen, closed]).toEqual([{ started: false, expired: true }, false]);
  end(0, true);
  await closing;
  const late = job();
  lanes.add('e', late.job);
  expect([late.seen, lanes.room('e')]).toEqual([{ started: false, expired: true }, 0]);
});
