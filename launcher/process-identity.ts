import { readFileSync } from 'node:fs';

/**
 * A process that can't be mistaken for a later one with the same id: when it was started belongs to it (empty where the system
 * does not tell).
 */
export type ProcessIdentity = { pid: number; started: string };

export function identify(pid: number): ProcessIdentity {
  return { pid, started: startedAt(pid) ?? '' };
}

/** Whether this very process still lives; one that only waits to be collected by its parent does not. */
export function lives({ pid, started }: ProcessIdentity): boolean {
  return startedAt(pid) === started;
}

/** Whether a value read from a file has the form of an identity. */
export function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return false;
  return Number.isSafeInteger(value.pid) && Number(value.pid) > 0 && typeof value.started === 'string';
}

/** Undefined when there is no such process. */
function startedAt(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : (fields[19] ?? '');
  } catch {
    return process.platform === 'linux' ? undefined : '';
  }
}
