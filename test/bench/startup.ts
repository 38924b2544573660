import { setTimeout as sleep } from 'node:timers/promises';
import { startSystem } from '../../launcher/system.ts';
import type { Benchmark } from './harness/benchmark.ts';
import { pssMiB } from './process-memory.ts';

const IDLE_MS = 5_000;

/** Time from start to ready (an empty data folder first, then restarts on it) and the memory of the whole system when idle. */
export const startup: Benchmark = {
  name: 'startup',
  about: 'the whole system from start to ready, on an empty data folder and again, and its memory when idle',
  needs: 'nats-server; half a minute',
  rounds: 3,
  bars: [
    { name: 'ready, empty data folder', figure: 'first start.readyMs', max: 15_000 },
    { name: 'ready, restart', figure: 'restart.readyMs', max: 15_000 },
    { name: 'memory when idle', figure: 'idle.pssMiB', max: 1_024 },
  ],
  async prepare(resources) {
    const system = await startSystem({ name: 'bench-startup' });
    resources.defer(() => system.stop());
    const firstMs = system.readyMs;
    return {
      floors: {},
      subjects: {
        restart: {
          durationMs: 0,
          async measure() {
            await system.restart();
            return { readyMs: system.readyMs };
          },
        },
      },
      once: {
        'first start': async () => ({ readyMs: firstMs }),
        async idle() {
          await sleep(IDLE_MS);
          return { pssMiB: pssMiB(system.pids()) };
        },
      },
    };
  },
};
