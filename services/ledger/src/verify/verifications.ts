import { type NewId, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { Partition } from '../partition/partition.ts';
import type { Unlinked } from './follow-chain.ts';
import type { Finding, RebuiltBalance, Totals } from './verify-partition.ts';

/** One page stays far below the 4 MiB that an answer may have. */
const PAGE_FINDINGS = 1_000;
/** A page with fewer findings is answered after so long, so that a call is never long. */
const PAGE_MS = 1_000;
/** A verification is given up when it is not asked about for so long. */
const IDLE_MS = 60_000;
const RUNNING_MAX = 8;
const NOTHING: Totals = { postings: 0n, sumSen: 0n, checkpoints: 0n };

export type Page = { differences: string[]; balances: RebuiltBalance[]; unlinked: Unlinked[]; nextCursor: string } & Totals;

/** Verifications that are under way, and are read page by page. */
export type Verifications = {
  /** Begins one, and answers its first page. Refusals: unavailable (too many run). */
  begin(partition: Partition, findings: AsyncGenerator<Finding, Totals>): Promise<Page>;
  /** The page that a cursor names: the next one, or the last one again. Refusals: validation (cursor). */
  next(partition: string, cursor: string): { partition: Partition; page: Promise<Page> };
  /** Gives a partition's verifications up. */
  drop(partition: Partition): void;
  close(): void;
};

type Run = {
  id: string;
  partition: Partition;
  findings: AsyncGenerator<Finding, Totals>;
  number: number;
  page: Promise<Page>;
  finished: boolean;
  idle: NodeJS.Timeout;
};

export function createVerifications(newId: NewId): Verifications {
  const runs = new Map<string, Run>();
  const end = (run: Run) => {
    runs.delete(run.id);
    clearTimeout(run.idle);
    // It may be in the middle of a read, whose end is not awaited.
    run.findings.return(NOTHING).catch(() => {});
  };
  const makeRoom = () => {
    if (runs.size < RUNNING_MAX) return;
    const finished = [...runs.values()].find((run) => run.finished);
    if (finished === undefined) throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
    end(finished);
  };
  const turn = (run: Run): Promise<Page> => {
    run.idle.refresh();
    run.number++;
    run.page = readPage(run, `${run.id}.${run.number + 1}`);
    run.page.catch(() => end(run));
    return run.page;
  };
  return {
    async begin(partition, findings) {
      makeRoom();
      const id = newId(Date.now());
      const idle = setTimeout(() => end(run), IDLE_MS).unref();
      const run: Run = {
        id,
        partition,
        findings,
        number: 0,
        page: Promise.reject(new Error('not begun')),
        finished: false,
        idle,
      };
      run.page.catch(() => {});
      runs.set(id, run);
      return turn(run);
    },
    next(partition, cursor) {
      const [id = '', number = ''] = cursor.split('.');
      const run = runs.get(id);
      if (run === undefined || run.partition.name !== partition) throw over();
      // The answer before may have been lost on its way.
      if (Number(number) === run.number) return { partition: run.partition, page: run.page };
      if (Number(number) !== run.number + 1 || run.finished) throw over();
      return { partition: run.partition, page: turn(run) };
    },
    drop(partition) {
      for (const run of runs.values()) if (run.partition === partition) end(run);
    },
    close() {
      for (const run of runs.values()) end(run);
    },
  };
}

async function readPage(run: Run, nextCursor: string): Promise<Page> {
  const page: Page = { differences: [], balances: [], unlinked: [], nextCursor, ...NOTHING };
  const isFull = () => page.differences.length + page.balances.length + page.unlinked.length >= PAGE_FINDINGS;
  const untilMs = performance.now() + PAGE_MS;
  while (!isFull() && performance.now() < untilMs) {
    const { done, value } = await run.findings.next();
    if (done) {
      run.finished = true;
      return { ...page, ...value, nextCursor: '' };
    }
    if (value === undefined) continue;
    if ('difference' in value) page.differences.push(value.difference);
    else if ('unlinked' in value) page.unlinked.push(value.unlinked);
    else page.balances.push(value.balance);
  }
  return page;
}

function over(): RefusalError {
  return new RefusalError(refuseField('cursor', 'is of no verification that is under way here; begin again'));
}
