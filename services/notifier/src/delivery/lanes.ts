import { BackgroundWork, Bag, type Closeable, type Placed } from '@gerbang/runtime';

/** What an endpoint may have under way before it has answered for the first time; each acknowledgement widens its lane by one. */
const WIDTH_FIRST = 2;
/** Failures in a row after which an endpoint gets one attempt at a time; an acknowledgement opens its lane again, one by one. */
const FAILURES_UNTIL_SINGLE = 5;
/** An attempt that lasts longer, or an endpoint whose attempts mostly do, is slow. */
const SLOW_MS = 1_000;
const LOOK_FOR_SLOW_MS = 250;
/**
 * Deliveries in memory: of a lane as many as it works off in so long, within a bound for each attempt that may be under way; what waits for longer would
 * have to have its lease renewed. Of the process, for each attempt that may be under way.
 */
const HELD_MS = 2_000;
const HELD_PER_SLOT = 64;
const HELD_OVERALL_PER_SLOT = 8;
/** Jobs of a lane that are begun and not done, for each place: so many attempts may be made again when the process dies. */
const BEGUN_PER_SLOT = 4;
/** An endpoint's history is forgotten after this long without an attempt; a failing one's only when its schedule must be over. */
const FORGET_MS = 10 * 60_000;
const FORGET_FAILING_MS = 24 * 60 * 60_000;

/**
 * `run` says whether the endpoint acknowledged, undefined when it was not asked, and may tell `answered` before: then the place is free for the next one
 * while the rest is done. `expire` is called instead where the job is not to run: its lane is closed, or turns out to be dead. Neither rejects.
 */
export type Job = { run(answered: (acknowledged: boolean) => void): Promise<boolean | undefined>; expire(): Promise<void> };

/**
 * The order in which attempts run. Each endpoint has a lane with bounds of its own, lanes take turns, and those that fail or are slow have together no
 * more than half of the process: so a dead endpoint takes only its own share of sockets, memory and time, and nobody waits behind it.
 */
export type Lanes = Closeable & {
  /** How many more jobs of the endpoint should be brought now. What is not brought stays in the database, where it costs nothing. */
  room(endpoint: string): number;
  /** Whether the lane has so little left that it is worth while to bring more. */
  isHalfEmpty(endpoint: string): boolean;
  /** Runs the job when its turn has come. */
  add(endpoint: string, job: Job): void;
  /** What is known of an endpoint's failures from elsewhere, before its first attempt here. */
  suspect(endpoint: string, failures: number): void;
};

type Lane = {
  endpoint: string;
  /** Jobs that take a place; and all that are begun and not done, some of which have only to record what their attempt came to. */
  running: number;
  begun: number;
  queue: Job[];
  width: number;
  failures: number;
  averageMs: number;
  /** Attempts under way that are slow already. */
  slow: number;
  usedAtMs: number;
};

type Run = Placed & { lane: Lane; startedMs: number; suspect: boolean; slow: boolean };

/**
 * `perEndpoint` and `overall` bound the attempts that run at once; `onRoom` hears of each lane that has run half empty. Times are monotonic
 * (performance.now()).
 */
export function createLanes(
  bounds: { perEndpoint: number; overall: number },
  onRoom: (endpoint: string) => void = () => {},
): Lanes {
  const lanes = new Map<string, Lane>();
  const running = new Bag<Run>();
  const background = new BackgroundWork();
  /** Lanes whose next job could run, in the order of their turns. */
  const ready = { sound: new Set<Lane>(), suspect: new Set<Lane>() };
  const suspectsMax = Math.max(1, Math.floor(bounds.overall / 2));
  let suspects = 0;
  let held = 0;
  let turn: keyof typeof ready = 'sound';
  let closed = false;

  const laneOf = (endpoint: string): Lane => {
    const known = lanes.get(endpoint);
    if (known !== undefined) return known;
    const width = Math.min(WIDTH_FIRST, bounds.perEndpoint);
    const usedAtMs = performance.now();
    const lane = { endpoint, running: 0, begun: 0, queue: [], width, failures: 0, averageMs: 0, slow: 0, usedAtMs };
    lanes.set(endpoint, lane);
    return lane;
  };
  const isSuspect = (lane: Lane) => lane.failures > 0 || lane.slow > 0 || lane.averageMs > SLOW_MS;
  const heldBy = (lane: Lane) => lane.begun + lane.queue.length;
  /** At most half of what the others leave, so that there always is something left. */
  const capacity = (lane: Lane) => {
    const perSlot = isSuspect(lane) ? 1 : Math.min(HELD_PER_SLOT, HELD_MS / lane.averageMs);
    const left = bounds.overall * HELD_OVERALL_PER_SLOT - held + heldBy(lane);
    return Math.floor(Math.min(lane.width * perSlot, left / 2));
  };
  const isHalfEmpty = (lane: Lane) => heldBy(lane) <= capacity(lane) / 2;
  /** Puts the lane at the end of its line when it has something to run and may. */
  const lineUp = (lane: Lane) => {
    ready.sound.delete(lane);
    ready.suspect.delete(lane);
    const mayRun = lane.running < lane.width && lane.begun < lane.width * BEGUN_PER_SLOT;
    if (lane.queue.length > 0 && mayRun) ready[isSuspect(lane) ? 'suspect' : 'sound'].add(lane);
  };
  /** The two lines take turns while both may. */
  const next = (): Lane | undefined => {
    const other = turn === 'sound' ? 'suspect' : 'sound';
    for (const line of [turn, other] as const) {
      if (line === 'suspect' && suspects >= suspectsMax) continue;
      for (const lane of ready[line]) {
        turn = line === 'sound' ? 'suspect' : 'sound';
        return lane;
      }
    }
    return undefined;
  };
  const advance = () => {
    while (!closed && running.size < bounds.overall) {
      const lane = next();
      const job = lane?.queue.shift();
      if (lane === undefined || job === undefined) return;
      const run: Run = { lane, startedMs: performance.now(), suspect: isSuspect(lane), slow: false, place: -1 };
      running.add(run);
      lane.running++;
      lane.begun++;
      if (run.suspect) suspects++;
      lineUp(lane);
      background.add(follow(run, job));
    }
  };
  const follow = async (run: Run, job: Job) => {
    const { lane } = run;
    try {
      leave(run, await job.run((acknowledged) => leave(run, acknowledged)));
    } finally {
      leave(run, undefined);
      lane.begun--;
      held--;
      lineUp(lane);
      advance();
      if (isHalfEmpty(lane)) onRoom(lane.endpoint);
    }
  };
  /** Gives the place of a run to the next one, once. */
  const leave = (run: Run, acknowledged: boolean | undefined) => {
    if (!running.delete(run)) return;
    const { lane } = run;
    learn(lane, acknowledged);
    lane.usedAtMs = performance.now();
    lane.averageMs = 0.8 * lane.averageMs + 0.2 * (lane.usedAtMs - run.startedMs);
    lane.running--;
    if (run.suspect) suspects--;
    if (run.slow) lane.slow--;
    lineUp(lane);
    advance();
  };
  const learn = (lane: Lane, acknowledged: boolean | undefined) => {
    if (acknowledged === undefined) return;
    if (acknowledged) {
      lane.failures = 0;
      lane.width = Math.min(lane.width + 1, bounds.perEndpoint);
    } else fail(lane, lane.failures + 1);
  };
  const fail = (lane: Lane, failures: number) => {
    lane.failures = failures;
    if (failures < FAILURES_UNTIL_SINGLE) return;
    lane.width = 1;
    // What it had to itself waits in the database from now on.
    const surplus = lane.queue.splice(1);
    held -= surplus.length;
    for (const job of surplus) background.add(job.expire());
  };

  const lookForSlow = () => {
    const beforeMs = performance.now() - SLOW_MS;
    for (const run of running) {
      if (run.startedMs > beforeMs || run.slow) continue;
      run.slow = true;
      run.lane.slow++;
      if (!run.suspect) suspects++;
      run.suspect = true;
      lineUp(run.lane);
    }
  };
  const forget = () => {
    const nowMs = performance.now();
    for (const [endpoint, lane] of lanes) {
      const afterMs = lane.failures > 0 ? FORGET_FAILING_MS : FORGET_MS;
      if (heldBy(lane) === 0 && nowMs - lane.usedAtMs > afterMs) lanes.delete(endpoint);
    }
  };
  const intervals = [setInterval(lookForSlow, LOOK_FOR_SLOW_MS), setInterval(forget, FORGET_MS)];
  for (const interval of intervals) interval.unref();

  return {
    room(endpoint) {
      if (closed) return 0;
      const lane = laneOf(endpoint);
      return Math.max(0, capacity(lane) - heldBy(lane));
    },
    isHalfEmpty: (endpoint) => isHalfEmpty(laneOf(endpoint)),
    add(endpoint, job) {
      if (closed) return background.add(job.expire());
      const lane = laneOf(endpoint);
      lane.queue.push(job);
      held++;
      lineUp(lane);
      advance();
    },
    suspect(endpoint, failures) {
      const lane = laneOf(endpoint);
      if (lane.failures < failures) fail(lane, failures);
      lineUp(lane);
    },
    async close() {
      closed = true;
      for (const interval of intervals) clearInterval(interval);
      for (const lane of lanes.values()) for (const job of lane.queue.splice(0)) background.add(job.expire());
      await background.settled();
    },
  };
}
