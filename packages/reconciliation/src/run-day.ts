import type { Clock } from '@gerbang/core';
import { HistoryError } from '@gerbang/rails';
import type { Logger } from '@gerbang/runtime';
import type { Claims } from './claims.ts';
import { compareDay } from './compare-day.ts';
import { DAY_MS, nextDay } from './day.ts';
import type { DayResult } from './day-result.ts';
import type { Days, Run } from './days.ts';
import type { Differences } from './differences.ts';
import { type ReconciliationDocument, toDifferences } from './document.ts';
import type { ReconciledRail } from './rail.ts';
import { againAtMs, retryAtMs } from './reconciliation.ts';

export type RunContext = {
  rails: ReadonlyMap<string, ReconciledRail>;
  days: Days;
  differences: Differences;
  claims: Claims;
  clock: Clock;
  log: Logger;
  /** Aborted when the service closes. */
  stopping: AbortSignal;
  leaseMs: number;
};

/** Another run of the day has begun, for this one was silent for too long. */
class Overtaken extends Error {}

/** More differences say less: the whole day differs, and the run fails. */
const DIFFERENCES_MAX = 20_000;
const PROBLEM_LENGTH_MAX = 300;

/**
 * Compares a day that is due and writes what it has found. Runs at least once: a run that dies leaves the day to be compared again
 * after its lease, from the beginning; nothing is shown of it before its end. The day after is planned first, so that none is left
 * out.
 */
export async function runDay(context: RunContext, document: ReconciliationDocument): Promise<void> {
  const { rails, days, clock, log, stopping } = context;
  const rail = rails.get(document.rail);
  if (rail !== undefined) await days.plan(document.rail, nextDay(document.day));
  const run = await days.begin(document, clock.now());
  if (run === undefined) return;
  if (rail === undefined) {
    const nowMs = clock.now();
    await days.fail(run, 'its history is not configured', { nowMs, retryAtMs: nowMs + DAY_MS });
    log.warn({ rail: run.rail, day: run.day }, 'a day is due whose rail is not configured');
    return;
  }
  const fields = { rail: run.rail, day: run.day, by: run.by };
  const heart = startHeart(context, run);
  try {
    const comparedAtMs = clock.now();
    const result = await compareDay(rail, run.day, {
      nowMs: comparedAtMs,
      signal: heart.signal,
      afterSlice: async () => heart.signal.throwIfAborted(),
      claimed: (paymentIds) => context.claims.find(run.rail, paymentIds),
    });
    await write(context, run, result, comparedAtMs);
  } catch (error) {
    if (stopping.aborted) return;
    if (heart.signal.aborted || error instanceof Overtaken) {
      log.warn(fields, 'another run of the reconciliation has begun');
      return;
    }
    const problem = (error instanceof HistoryError ? error.message : 'an internal error').slice(0, PROBLEM_LENGTH_MAX);
    const nowMs = clock.now();
    await days.fail(run, problem, { nowMs, retryAtMs: retryAtMs(run.attempts, nowMs) });
    log.error({ ...fields, err: error, alert: 'reconciliation_failed' }, 'a day could not be reconciled; it is tried again');
  } finally {
    heart.stop();
  }
}

async function write(
  { days, differences, claims, clock, log, leaseMs }: RunContext,
  run: Run,
  result: DayResult,
  comparedAtMs: number,
) {
  const { rail, day, number } = run;
  if (result.differences.length > DIFFERENCES_MAX)
    throw new HistoryError(`more than ${DIFFERENCES_MAX} differences: is it the history of our account?`);
  if (!(await days.renew(run, leaseMs))) throw new Overtaken();
  await claims.add(rail, result.claims);
  const found = toDifferences(result.differences, { rail, day, run: number, nowMs: clock.now() });
  const fresh = await differences.replace({ rail, day, run: number }, found);
  const open = await differences.countOpenOf(rail, day);
  const nowMs = clock.now();
  const summary = { ...result, differences: open, comparedAtMs, by: run.by };
  const isMine = await days.finish(run, summary, { nowMs, againAtMs: againAtMs(day, summary, nowMs) });
  if (!isMine) return;
  const fields = { rail, day, by: run.by, matched: result.matched, open: result.open, differences: open };
  if (fresh.length === 0) log.info(fields, 'reconciled');
  else log.error({ ...fields, new_differences: fresh.length, alert: 'reconciliation_difference' }, 'a day differs from its rail');
}

/** Renews the lease while the run goes on; its signal is aborted when the service closes or another run has begun. */
function startHeart({ days, stopping, leaseMs, log }: RunContext, run: Run) {
  const overtaken = new AbortController();
  const beat = setInterval(() => {
    days
      .renew(run, leaseMs)
      .then((isMine) => {
        if (!isMine) overtaken.abort(new Overtaken());
      })
      .catch((error: unknown) => log.warn({ err: error, rail: run.rail, day: run.day }, 'the lease of a run was not renewed'));
  }, leaseMs / 3);
  return { signal: AbortSignal.any([stopping, overtaken.signal]), stop: () => clearInterval(beat) };
}
