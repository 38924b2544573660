import { setTimeout as sleep } from 'node:timers/promises';
import { startSystem } from '../../launcher/system.ts';
import { pssMiB } from './process-memory.ts';

const ROUNDS = 3;
const IDLE_MS = 5_000;

/** Time from start to ready (an empty data folder first, then restarts on it) and the memory of the whole system when idle. */
export async function benchStartup(): Promise<object> {
  const system = await startSystem({ name: 'bench-startup' });
  const firstMs = system.readyMs;
  const restartsMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await system.restart();
    restartsMs.push(system.readyMs);
  }
  await sleep(IDLE_MS);
  const idlePssMiB = pssMiB(system.pids());
  await system.stop();
  return { firstMs, restartsMs, idlePssMiB, bars: { readyMs: 15_000, idlePssMiB: 1_024 } };
}
