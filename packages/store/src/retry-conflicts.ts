import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError, refuse } from '@gerbang/core';

/** Attempts at a write that others may win. */
const ATTEMPTS_MAX = 50;
/** Those who have lost come back at different times, within so many milliseconds. */
const APART_MS = 10;

/** A change that is decided on what is stored, and written only if that has not changed meanwhile. */
export type ConflictingWrite<Read, Written> = {
  /** What was read before, for the first attempt; without it that reads too. */
  first?: Read;
  /** What is stored now. */
  read(): Promise<Read>;
  /** Decides and writes; undefined when somebody else has written since the reading. What it throws ends the loop. */
  write(current: Read): Promise<Written | undefined>;
};

/**
 * Reads, decides and writes until no other process has written in between: the one loop for every optimistic write. Refusals:
 * unavailable with a time to come back after, when others have always been faster; and those of the steps.
 */
export async function retryConflicts<Read, Written>({ first, read, write }: ConflictingWrite<Read, Written>): Promise<Written> {
  let current = first ?? (await read());
  for (let attempt = 1; ; attempt++) {
    const written = await write(current);
    if (written !== undefined) return written;
    if (attempt === ATTEMPTS_MAX) throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
    await sleep(Math.random() * APART_MS);
    current = await read();
  }
}
