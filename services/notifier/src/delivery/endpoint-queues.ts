import { BackgroundWork, Bag, type Closeable, type Placed } from '@gerbang/runtime';

/** Permits of an endpoint that has not answered yet; each acknowledgement gives it one more. */
const PERMITS_FIRST = 2;
/** After so many failures in a row an endpoint has one permit. Acknowledgements give the others back, one by one. */
const FAILURES_UNTIL_SINGLE = 5;
/** An attempt that takes longer is slow, and so is an endpoint whose attempts take longer on average. */
const SLOW_MS = 1_000;
const FIND_SLOW_MS = 250;
/**
 * Bounds of deliveries in memory. A queue holds as many as it processes in HELD_MS, and at most HELD_PER_PERMIT for each of its
 * permits; the lease of what waits longer would have to be renewed. The process holds HELD_OVERALL_PER_PERMIT for each attempt
 * that may run at once.
 */
const HELD_MS = 2_000;
const HELD_PER_PERMIT = 64;
const HELD_OVERALL_PER_PERMIT = 8;
/** Jobs of a queue that are begun and not finished, for each permit: so many attempts may be made again when the process dies. */
const BEGUN_PER_PERMIT = 4;
/** A queue is forgotten after so long without an attempt; a failing endpoint's queue when its retry schedule must have ended. */
const FORGET_MS = 10 * 60_000;
const FORGET_FAILING_MS = 24 * 60 * 60_000;

/**
 * `run` resolves with whether the endpoint acknowledged, undefined when no request went out. It may call `answered` earlier: then
 * its permit is free while it finishes. `expire` is called instead when the job does not run because its queue is closed or its
 * endpoint fails. Neither rejects.
 */
export type Job = { run(answered: (acknowledged: boolean) => void): Promise<boolean | undefined>; expire(): Promise<void> };

/**
 * Orders the attempts. Each endpoint has a queue with permits of its own, and the queues take turns. Endpoints that fail or are
 * slow share at most half of the process. So a dead endpoint takes only its own share of sockets, memory and time, and delays no
 * other.
 */
export type EndpointQueues = Closeable & {
  /** How many more jobs of the endpoint to bring now. The others stay in the database, where they cost nothing. */
  room(endpoint: string): number;
  /** Whether the queue has so little left that bringing more is worth a query. */
  isHalfEmpty(endpoint: string): boolean;
  /** Runs the job when its turn comes. */
  add(endpoint: string, job: Job): void;
  /** Takes over failures of the endpoint that are known from elsewhere, before its first attempt here. */
  suspect(endpoint: string, failures: number): void;
};

type EndpointQueue = {
  endpoint: string;
  waiting: Job[];
  permits: number;
  /** Jobs that hold a permit. */
  running: number;
  /** Jobs that are begun and not finished; some of them have only their outcome to record. */
  begun: number;
  failures: number;
  averageMs: number;
  /** Attempts that run and are slow already. */
  slow: number;
  usedAtMs: number;
};

type Run = Placed & { queue: EndpointQueue; startedMs: number; suspect: boolean; slow: boolean };

/**
 * `perEndpoint` and `overall` bound the attempts that run at once. `onRoom` is called with each endpoint whose queue has become
 * half empty. Times are monotonic (performance.now()).
 */
export function createEndpointQueues(
  bounds: { perEndpoint: number; overall: number },
  onRoom: (endpoint: string) => void = () => {},
): EndpointQueues {
  const queues = new Map<string, EndpointQueue>();
  const running = new Bag<Run>();
  const background = new BackgroundWork();
  /** Queues whose next job may run, in the order of their turns. */
  const ready = { sound: new Set<EndpointQueue>(), suspect: new Set<EndpointQueue>() };
  const suspectsMax = Math.max(1, Math.floor(bounds.overall / 2));
  let suspects = 0;
  let held = 0;
  let turn: keyof typeof ready = 'sound';
  let closed = false;

  const queueOf = (endpoint: string): EndpointQueue => {
    const known = queues.get(endpoint);
    if (known !== undefined) return known;
    const permits = Math.min(PERMITS_FIRST, bounds.perEndpoint);
    const usedAtMs = performance.now();
    const queue = { endpoint, waiting: [], permits, running: 0, begun: 0, failures: 0, averageMs: 0, slow: 0, usedAtMs };
    queues.set(endpoint, queue);
    return queue;
  };
  const isSuspect = (queue: EndpointQueue) => queue.failures > 0 || queue.slow > 0 || queue.averageMs > SLOW_MS;
  const heldBy = (queue: EndpointQueue) => queue.begun + queue.waiting.length;
  /** At most half of what the other queues leave, so that something is always left for a new endpoint. */
  const capacity = (queue: EndpointQueue) => {
    const perPermit = isSuspect(queue) ? 1 : Math.min(HELD_PER_PERMIT, HELD_MS / queue.averageMs);
    const left = bounds.overall * HELD_OVERALL_PER_PERMIT - held + heldBy(queue);
    return Math.floor(Math.min(queue.permits * perPermit, left / 2));
  };
  const isHalfEmpty = (queue: EndpointQueue) => heldBy(queue) <= capacity(queue) / 2;
  /** Puts the queue last in the order of turns when it has a job that may run. */
  const lineUp = (queue: EndpointQueue) => {
    ready.sound.delete(queue);
    ready.suspect.delete(queue);
    const mayRun = queue.running < queue.permits && queue.begun < queue.permits * BEGUN_PER_PERMIT;
    if (queue.waiting.length > 0 && mayRun) ready[isSuspect(queue) ? 'suspect' : 'sound'].add(queue);
  };
  /** Sound and suspect queues alternate while both may run. */
  const next = (): EndpointQueue | undefined => {
    const other = turn === 'sound' ? 'suspect' : 'sound';
    for (const kind of [turn, other] as const) {
      if (kind === 'suspect' && suspects >= suspectsMax) continue;
      for (const queue of ready[kind]) {
        turn = kind === 'sound' ? 'suspect' : 'sound';
        return queue;
      }
    }
    return undefined;
  };
  const advance = () => {
    while (!closed && running.size < bounds.overall) {
      const queue = next();
      const job = queue?.waiting.shift();
      if (queue === undefined || job === undefined) return;
      const run: Run = { queue, startedMs: performance.now(), suspect: isSuspect(queue), slow: false, place: -1 };
      running.add(run);
      queue.running++;
      queue.begun++;
      if (run.suspect) suspects++;
      lineUp(queue);
      background.add(follow(run, job));
    }
  };
  const follow = async (run: Run, job: Job) => {
    const { queue } = run;
    try {
      release(run, await job.run((acknowledged) => release(run, acknowledged)));
    } finally {
      release(run, undefined);
      queue.begun--;
      held--;
      lineUp(queue);
      advance();
      if (isHalfEmpty(queue)) onRoom(queue.endpoint);
    }
  };
  /** Releases the permit of a run; only the first call counts. */
  const release = (run: Run, acknowledged: boolean | undefined) => {
    if (!running.delete(run)) return;
    const { queue } = run;
    learn(queue, acknowledged);
    queue.usedAtMs = performance.now();
    queue.averageMs = 0.8 * queue.averageMs + 0.2 * (queue.usedAtMs - run.startedMs);
    queue.running--;
    if (run.suspect) suspects--;
    if (run.slow) queue.slow--;
    lineUp(queue);
    advance();
  };
  const learn = (queue: EndpointQueue, acknowledged: boolean | undefined) => {
    if (acknowledged === undefined) return;
    if (acknowledged) {
      queue.failures = 0;
      queue.permits = Math.min(queue.permits + 1, bounds.perEndpoint);
    } else fail(queue, queue.failures + 1);
  };
  const fail = (queue: EndpointQueue, failures: number) => {
    queue.failures = failures;
    if (failures < FAILURES_UNTIL_SINGLE) return;
    queue.permits = 1;
    // All but the next job go back to the database.
    const surplus = queue.waiting.splice(1);
    held -= surplus.length;
    for (const job of surplus) background.add(job.expire());
  };

  const findSlow = () => {
    const beforeMs = performance.now() - SLOW_MS;
    for (const run of running) {
      if (run.startedMs > beforeMs || run.slow) continue;
      run.slow = true;
      run.queue.slow++;
      if (!run.suspect) suspects++;
      run.suspect = true;
      lineUp(run.queue);
    }
  };
  const forget = () => {
    const nowMs = performance.now();
    for (const [endpoint, queue] of queues) {
      const afterMs = queue.failures > 0 ? FORGET_FAILING_MS : FORGET_MS;
      if (heldBy(queue) === 0 && nowMs - queue.usedAtMs > afterMs) queues.delete(endpoint);
    }
  };
  const intervals = [setInterval(findSlow, FIND_SLOW_MS), setInterval(forget, FORGET_MS)];
  for (const interval of intervals) interval.unref();

  return {
    room(endpoint) {
      if (closed) return 0;
      const queue = queueOf(endpoint);
      return Math.max(0, capacity(queue) - heldBy(queue));
    },
    isHalfEmpty: (endpoint) => isHalfEmpty(queueOf(endpoint)),
    add(endpoint, job) {
      if (closed) return background.add(job.expire());
      const queue = queueOf(endpoint);
      queue.waiting.push(job);
      held++;
      lineUp(queue);
      advance();
    },
    suspect(endpoint, failures) {
      const queue = queueOf(endpoint);
      if (queue.failures < failures) fail(queue, failures);
      lineUp(queue);
    },
    async close() {
      closed = true;
      for (const interval of intervals) clearInterval(interval);
      for (const queue of queues.values()) for (const job of queue.waiting.splice(0)) background.add(job.expire());
      await background.settled();
    },
  };
}
