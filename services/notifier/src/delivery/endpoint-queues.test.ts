import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEndpointQueues, type EndpointQueues, type Job } from './endpoint-queues.ts';

/** A job that runs until `end` is called. `answer` says earlier that its endpoint has answered. */
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

/** Adds jobs and counts those that have started. */
function add(queues: EndpointQueues, endpoint: string, count: number) {
  const jobs = Array.from({ length: count }, job);
  for (const each of jobs) queues.add(endpoint, each.job);
  return {
    jobs,
    started: () => jobs.filter(({ seen }) => seen.started).length,
    expired: () => jobs.filter(({ seen }) => seen.expired).length,
    answer: (i: number, ok: boolean) => jobs[i]?.answer(ok),
    end: (i: number, ok: boolean) => jobs[i]?.end(ok),
  };
}

/** Makes an endpoint acknowledge or refuse some attempts. */
async function known(queues: EndpointQueues, endpoint: string, times: number, ok: boolean) {
  for (let i = 0; i < times; i++) {
    add(queues, endpoint, 1).end(0, ok);
    await settle();
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a new endpoint has two permits, one more with each acknowledgement, up to its bound', async () => {
  const queues = createEndpointQueues({ perEndpoint: 4, overall: 100 });
  const { started, end } = add(queues, 'e', 20);
  expect(started()).toBe(2);
  const open: number[] = [];
  for (let i = 0; i < 4; i++) {
    end(i, true);
    await settle();
    open.push(started() - (i + 1));
  }
  expect(open).toEqual([3, 4, 4, 4]);
});

test('a failing endpoint gets one attempt at a time; when it answers it gets its permits back one by one', async () => {
  const queues = createEndpointQueues({ perEndpoint: 4, overall: 100 });
  await known(queues, 'dead', 5, false);
  expect(queues.room('dead')).toBe(1);
  const { started, end } = add(queues, 'dead', 10);
  expect(started()).toBe(1);
  end(0, false);
  await settle();
  expect(started()).toBe(2);
  const more = add(queues, 'dead', 10);
  end(1, true);
  await settle();
  expect(more.started()).toBe(2);
  more.end(0, true);
  await settle();
  expect(more.started()).toBe(4);
});

test('queues take turns, so that a long queue delays no other', async () => {
  const queues = createEndpointQueues({ perEndpoint: 2, overall: 2 });
  const long = add(queues, 'long', 20);
  const [a, b] = [add(queues, 'a', 1), add(queues, 'b', 1)];
  expect([long.started(), a.started(), b.started()]).toEqual([2, 0, 0]);
  long.end(0, true);
  await settle();
  long.end(1, true);
  await settle();
  expect([a.started(), b.started()]).toEqual([1, 1]);
});

test('endpoints that fail share half of all permits, however many they are', async () => {
  const queues = createEndpointQueues({ perEndpoint: 2, overall: 8 });
  const dead = Array.from({ length: 10 }, (_, i) => `dead ${i}`);
  for (const endpoint of dead) await known(queues, endpoint, 1, false);
  const failing = dead.map((endpoint) => add(queues, endpoint, 2));
  const underWay = () => failing.reduce((sum, { started }) => sum + started(), 0);
  expect(underWay()).toBe(4);
  const sound = ['a', 'b'].map((endpoint) => add(queues, endpoint, 2));
  expect(sound.map(({ started }) => started())).toEqual([2, 2]);
  failing[0]?.end(0, false);
  await settle();
  expect(underWay()).toBe(5);
});

test('slow attempts count as failing before their end is known', async () => {
  const queues = createEndpointQueues({ perEndpoint: 2, overall: 4 });
  const slow = [add(queues, 'slow', 2), add(queues, 'slower', 1)];
  vi.advanceTimersByTime(1_500);
  // They have half of all permits already and get no more.
  const more = add(queues, 'slower', 1);
  expect([...slow, more].map(({ started }) => started())).toEqual([2, 1, 0]);
  expect(add(queues, 'sound', 1).started()).toBe(1);
});

test('there is room for what soon gets its turn: little for a failing endpoint, all within a bound', async () => {
  const queues = createEndpointQueues({ perEndpoint: 8, overall: 4 });
  // Never more than half of what the other queues leave of 32.
  expect(queues.room('new')).toBe(16);
  add(queues, 'new', 12);
  expect(queues.room('new')).toBe(4);
  for (let i = 0; i < 8; i++) add(queues, `other ${i}`, 1);
  expect([queues.room('new'), queues.room('yet another')]).toEqual([0, 6]);
  queues.suspect('failing', 1);
  expect(queues.room('failing')).toBe(2);
  queues.suspect('dead', 9);
  expect(queues.room('dead')).toBe(1);
});

test('a queue that is half empty asks for more', async () => {
  const asked: string[] = [];
  const queues = createEndpointQueues({ perEndpoint: 1, overall: 100 }, (endpoint) => asked.push(endpoint));
  const { end } = add(queues, 'e', 64);
  for (let i = 0; i < 31; i++) {
    end(i, true);
    await settle();
  }
  expect([asked, queues.isHalfEmpty('e')]).toEqual([[], false]);
  end(31, true);
  await settle();
  expect([asked, queues.isHalfEmpty('e')]).toEqual([['e'], true]);
});

test('there is room for as much as a queue processes in two seconds', async () => {
  const queues = createEndpointQueues({ perEndpoint: 1, overall: 100 });
  for (let i = 0; i < 30; i++) {
    const { end } = add(queues, 'leisurely', 1);
    vi.advanceTimersByTime(500);
    end(0, true);
    await settle();
  }
  expect(queues.room('leisurely')).toBe(4);
});

test('a permit is free when the endpoint has answered; unrecorded outcomes have a bound of their own', async () => {
  const queues = createEndpointQueues({ perEndpoint: 1, overall: 100 });
  const { started, answer, end } = add(queues, 'e', 10);
  for (let i = 0; i < 5; i++) answer(i, true);
  expect([started(), queues.room('e')]).toEqual([4, 54]);
  end(0, true);
  await settle();
  expect([started(), queues.room('e')]).toEqual([5, 55]);
});

test('the queue of an endpoint that keeps failing releases its waiting jobs', async () => {
  const queues = createEndpointQueues({ perEndpoint: 2, overall: 100 });
  const { started, expired, end } = add(queues, 'e', 20);
  for (let i = 0; i < 5; i++) {
    end(i, false);
    await settle();
  }
  // After the fifth failure one job runs and one waits.
  expect([started(), expired(), queues.room('e')]).toEqual([6, 13, 0]);
  expect(queues.room('another')).toBe(128);
});

test('closing releases the waiting jobs and waits for the running ones', async () => {
  const queues = createEndpointQueues({ perEndpoint: 1, overall: 100 });
  const { jobs, end } = add(queues, 'e', 2);
  let closed = false;
  const closing = queues.close().then(() => {
    closed = true;
  });
  await settle();
  expect([jobs[1]?.seen, closed]).toEqual([{ started: false, expired: true }, false]);
  end(0, true);
  await closing;
  const late = job();
  queues.add('e', late.job);
  expect([late.seen, queues.room('e')]).toEqual([{ started: false, expired: true }, 0]);
});
