import { failure } from '../errors.ts';

/** Commands run one at a time and to their end, so the deadline of the one that is running is all there is. */
let deadlineMs = Number.POSITIVE_INFINITY;
let steps = 0;

/** Time is asked for once in so many documents. */
const stepsPerCheck = 64;

/** Starts the time that a command has; 0 or undefined is no limit. */
export function startDeadline(maxTimeMs: number | undefined): void {
  deadlineMs = maxTimeMs ? performance.now() + maxTimeMs : Number.POSITIVE_INFINITY;
}

/** Called for each document looked at; ends a command whose `maxTimeMS` is over. */
export function checkDeadline(): void {
  if (deadlineMs === Number.POSITIVE_INFINITY || ++steps % stepsPerCheck !== 0) return;
  if (performance.now() > deadlineMs) throw failure('MaxTimeMSExpired', 'operation exceeded time limit');
}
