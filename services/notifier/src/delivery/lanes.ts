import type { Closeable } from '@gerbang/runtime';

/** Failures in a row after which an endpoint gets one attempt at a time, until one succeeds. */
const FAILURES_UNTIL_SINGLE = 5;
/** Nothing is queued that would probably wait longer; it comes back when there is likely to be room. */
const QUEUE_WAIT_MAX_MS = 5_000;
const QUEUE_MAX = 256;
const COME_BACK_MIN_MS = 1_000;
const COME_BACK_MAX_MS = 60_000;
/** An endpoint's history is forgotten after this long without an attempt. */
const FORGET_MS = 10 * 60_000;

/**
 * One attempt: `run` says whether the endpoint acknowledged, undefined when it was not asked; `expire` is called instead when its turn came too late, or not before closing.
 * Neither rejects.
 */
export type Job = { startBeforeMs: number; run(): Promise<boolean | undefined>; expire(): Promise<void> };

/**
 * The order in which attempts run: a lane per endpoint, with its own bound, so that a slow or dead endpoint takes only its own share of sockets,
 * memory and time, and nobody ever waits behind it.
 */
export type Lanes = Closeable & {
  /** Runs the job when its lane has room. When it can't be soon: the milliseconds after which to offer it again. */
  offer(endpoint: string, job: Job): number | undefined;
};

type Lane = { running: number; queue: Job[]; averageMs: number; failures: number; nextSlotMs: number; usedAtMs: number };

/** `perEndpoint` and `overall` bound the attempts that run at once. Times of jobs are monotonic (performance.now()). */
export function createLanes(bounds: { perEndpoint: number; overall: number }): Lanes {
  const lanes = new Map<string, Lane>();
  const running = new Set<Promise<void>>();
  let closed = false;

  const laneOf = (endpoint: string): Lane => {
    const known = lanes.get(endpoint);
    if (known !== undefined) return known;
    const lane = { running: 0, queue: [], averageMs: 50, failures: 0, nextSlotMs: 0, usedAtMs: 0 };
    lanes.set(endpoint, lane);
    return lane;
  };
  const width = (lane: Lane) => (lane.failures >= FAILURES_UNTIL_SINGLE ? 1 : bounds.perEndpoint);
  const track = (work: Promise<void>) => {
    const task: Promise<void> = work.finally(() => running.delete(task));
    running.add(task);
  };

  const start = (lane: Lane, job: Job) => {
    lane.running++;
    track(run(lane, job));
  };
  const run = async (lane: Lane, job: Job) => {
    const startedMs = performance.now();
    try {
      const acknowledged = await job.run();
      if (acknowledged !== undefined) lane.failures = acknowledged ? 0 : lane.failures + 1;
    } finally {
      lane.usedAtMs = performance.now();
      lane.averageMs = 0.8 * lane.averageMs + 0.2 * (lane.usedAtMs - startedMs);
      lane.running--;
      advance(lane);
    }
  };
  const advance = (lane: Lane) => {
    // The last one out of a lane always lets the next one in: nobody else would.
    while (!closed && lane.running < width(lane) && (lane.running === 0 || running.size <= bounds.overall)) {
      const job = lane.queue.shift();
      if (job === undefined) return;
      if (job.startBeforeMs < performance.now()) track(job.expire());
      else start(lane, job);
    }
  };
  /** Room is handed out in the order of asking, so that a long backlog doesn't come back all at once. */
  const comeBackMs = (lane: Lane) => {
    const nowMs = performance.now();
    const earliest = nowMs + Math.max(COME_BACK_MIN_MS, (lane.queue.length * lane.averageMs) / width(lane));
    lane.nextSlotMs = Math.max(earliest, lane.nextSlotMs + lane.averageMs / width(lane));
    return Math.min(lane.nextSlotMs - nowMs, COME_BACK_MAX_MS);
  };
  const forgetting = setInterval(() => {
    for (const [endpoint, lane] of lanes) {
      if (lane.running === 0 && lane.queue.length === 0 && performance.now() - lane.usedAtMs > FORGET_MS) lanes.delete(endpoint);
    }
  }, FORGET_MS);
  forgetting.unref();

  return {
    offer(endpoint, job) {
      if (closed) return 0;
      const lane = laneOf(endpoint);
      if (lane.running < width(lane) && running.size < bounds.overall) {
        start(lane, job);
        return undefined;
      }
      const waitMs = ((lane.queue.length + 1) * lane.averageMs) / width(lane);
      // A lane without a running job has nobody to call its queue: the whole process is at its bound.
      if (lane.running === 0 || lane.queue.length >= QUEUE_MAX || waitMs > QUEUE_WAIT_MAX_MS) return comeBackMs(lane);
      lane.queue.push(job);
      return undefined;
    },
    async close() {
      closed = true;
      clearInterval(forgetting);
      for (const lane of lanes.values()) for (const job of lane.queue.splice(0)) track(job.expire());
      while (running.size > 0) await Promise.all(running);
    },
  };
}
