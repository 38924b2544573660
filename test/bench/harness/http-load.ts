import { setTimeout as sleep } from 'node:timers/promises';
import { arrivals } from './arrivals.ts';
import { HttpConnection, type OnAnswer } from './http-connection.ts';
import { type Latencies, latenciesOf, Samples } from './statistics.ts';

/**
 * What an answer counts as. A refusal is one that the server may give under too much load; an answer that is neither has
 * failed.
 */
export type Verdict = 'accepted' | 'refused' | 'failed';

export type Target = {
  port: number;
  /** The bytes of the next request. */
  next(): Buffer;
  judge(status: number, body: Buffer): Verdict;
};

export type HttpLoad = {
  /** Accepted answers that came while the load lasted, a second. */
  perSecond: number;
  accepted: Latencies;
  refused: Latencies;
  failed: number;
  /** Status and body of the first that failed. */
  firstFailure: string | undefined;
  /**
   * How much later than intended requests were sent, because all connections were taken or the generator was late; p99. 0 in a
   * closed loop.
   */
  lateP99Ms: number;
  /** Processor time of this process for each request: the generator's, and that of what else runs in it. */
  generatorMicros: number;
};

/** How long an open loop waits after its end for answers that are missing; then they count as failed. */
const GRACE_MS = 30_000;
/** The finest step of a timer: due requests are sent together, and their latency counts from when each was due. */
const TICK_MS = 1;
const SEED = 20_261_121;
/** What the gateway's `Retry-After` asks for. */
const RETRY_AFTER_MS = 1_000;

/**
 * A closed loop: each connection sends its next request when the answer has come; one that was refused waits first, as clients
 * that heed `Retry-After` do, or the peak would be that of a server which is kept busy with refusing.
 */
export async function closedLoop(target: Target, options: { connections: number; durationMs: number }): Promise<HttpLoad> {
  const goingOn: ((pauseMs: number) => void)[] = [];
  const shooters = Array.from({ length: options.connections }, (_, index) =>
    openShooter(target, (fromMs, status, body) => {
      goingOn[index]?.(tally.add(fromMs, status, body) === 'refused' ? RETRY_AFTER_MS : 0);
    }),
  );
  await Promise.all(shooters.map((shooter) => shooter.connected()));
  const tally = new Tally(target);
  const endMs = tally.startMs + options.durationMs;
  await Promise.all(
    shooters.map(
      (shooter, index) =>
        new Promise<void>((resolve) => {
          const goOn = (pauseMs: number) => {
            const nowMs = performance.now();
            if (nowMs + pauseMs < endMs) {
              if (pauseMs === 0) shooter.shoot(nowMs);
              else setTimeout(goOn, pauseMs, 0);
              return;
            }
            shooter.close();
            resolve();
          };
          goingOn[index] = goOn;
          goOn(0);
        }),
    ),
  );
  return tally.result(options.durationMs);
}

/**
 * An open loop: requests are sent when a schedule says so, also while earlier ones wait. A latency counts from the time
 * at which the request was to be sent, also where it had to wait for a free connection, so that a stall of the
 * server counts for every request that it delays.
 */
export async function openLoop(
  target: Target,
  options: { connections: number; durationMs: number; perSecond: number },
): Promise<HttpLoad> {
  const due = arrivals({ perSecond: options.perSecond, durationMs: options.durationMs, seed: SEED });
  let next = 0;
  let answers = 0;
  const idle: Shooter[] = [];
  const all = Array.from({ length: options.connections }, () => {
    const shooter = openShooter(target, (fromMs, status, body) => {
      answers++;
      idle.push(shooter);
      tally.add(fromMs, status, body);
      sendDue();
    });
    return shooter;
  });
  await Promise.all(all.map((shooter) => shooter.connected()));
  const tally = new Tally(target);
  const sendDue = () => {
    const nowMs = performance.now() - tally.startMs;
    for (;;) {
      const dueMs = due[next];
      // What finds no free connection stays due, and is sent as soon as there is one.
      const shooter = dueMs === undefined || dueMs > nowMs ? undefined : idle.pop();
      if (dueMs === undefined || shooter === undefined) return;
      next++;
      tally.late(nowMs - dueMs);
      shooter.shoot(tally.startMs + dueMs);
    }
  };
  idle.push(...all);
  const lastMs = options.durationMs + GRACE_MS;
  while (answers < due.length && performance.now() - tally.startMs < lastMs) {
    sendDue();
    await sleep(TICK_MS);
  }
  const missing = due.length - answers;
  tally.missing(missing);
  for (const shooter of all) shooter.close();
  return tally.result(options.durationMs);
}

/** A connection with the time that its request's latency counts from. */
type Shooter = { connected(): Promise<void>; shoot(fromMs: number): void; close(): void };

function openShooter(target: Target, onAnswer: (fromMs: number, status: number, body: Buffer) => void): Shooter {
  const connection = new HttpConnection(target.port);
  let fromMs = 0;
  const answered: OnAnswer = (status, body) => onAnswer(fromMs, status, body);
  return {
    connected: () => connection.connected(),
    shoot(intendedMs) {
      fromMs = intendedMs;
      connection.send(target.next(), answered);
    },
    close: () => connection.close(),
  };
}

/** Counts answers while a load lasts. */
class Tally {
  readonly startMs = performance.now();
  readonly #target: Target;
  readonly #cpu = process.cpuUsage();
  readonly #tookMs: Record<Exclude<Verdict, 'failed'>, Samples> = { accepted: new Samples(), refused: new Samples() };
  readonly #acceptedAtMs = new Samples();
  readonly #lateMs = new Samples();
  #failed = 0;
  #firstFailure: string | undefined;
  #ended = false;

  constructor(target: Target) {
    this.#target = target;
  }

  add(fromMs: number, status: number, body: Buffer): Verdict {
    const verdict = this.#target.judge(status, body);
    if (this.#ended) return verdict;
    const nowMs = performance.now();
    if (verdict === 'failed') {
      this.#failed++;
      this.#firstFailure ??= status === 0 ? 'the connection ended' : `${status} ${body.toString('utf8', 0, 300)}`;
      return verdict;
    }
    this.#tookMs[verdict].add(nowMs - fromMs);
    if (verdict === 'accepted') this.#acceptedAtMs.add(nowMs - this.startMs);
    return verdict;
  }

  late(ms: number): void {
    this.#lateMs.add(ms);
  }

  missing(count: number): void {
    this.#ended = true;
    this.#failed += count;
    if (count > 0) this.#firstFailure ??= `no answer within ${GRACE_MS / 1_000} s after the end`;
  }

  result(durationMs: number): HttpLoad {
    const { user, system } = process.cpuUsage(this.#cpu);
    const accepted = latenciesOf(this.#tookMs.accepted.all());
    const refused = latenciesOf(this.#tookMs.refused.all());
    const late = latenciesOf(this.#lateMs.all());
    const within = this.#acceptedAtMs.all().reduce((count, atMs) => (atMs <= durationMs ? count + 1 : count), 0);
    return {
      perSecond: within / (durationMs / 1_000),
      accepted,
      refused,
      failed: this.#failed,
      firstFailure: this.#firstFailure,
      lateP99Ms: late.count === 0 ? 0 : late.p99Ms,
      generatorMicros: (user + system) / Math.max(1, accepted.count + refused.count + this.#failed),
    };
  }
}

/** The load, where nothing may fail; refusals may happen. Throws, with the first answer that failed. */
export function mustNotFail(load: HttpLoad): HttpLoad {
  if (load.failed > 0) throw new Error(`${load.failed} answers failed of a load of which none may: ${load.firstFailure}`);
  return load;
}

/** The figures of a load of which nothing may fail; times are those of accepted answers. */
export function figuresOf(load: HttpLoad): Record<string, number> {
  const { perSecond, accepted, refused, lateP99Ms, generatorMicros } = mustNotFail(load);
  const { p50Ms, p99Ms } = accepted;
  const refusedShare = refused.count / (refused.count + accepted.count);
  return { perSecond, p50Ms, p99Ms, refusedShare, ...(lateP99Ms > 0 && { lateP99Ms }), generatorMicros };
}
