import { readFileSync } from 'node:fs';

/** Kernel ticks a second; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU milliseconds that the processes of each name have used so far, by the last folder of their program; only Linux tells it. */
export function cpuMsByProcess(pids: readonly number[]): Map<string, number> {
  const used = new Map<string, number>();
  for (const pid of pids) used.set(nameOf(pid), (used.get(nameOf(pid)) ?? 0) + cpuMs(pid));
  return used;
}

function nameOf(pid: number): string {
  const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const main = args.find((argument) => argument.endsWith('/src/main.ts'));
  return main?.split('/').at(-3) ?? args[0]?.split('/').at(-1) ?? String(pid);
}

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
}
