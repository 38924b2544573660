import path from 'node:path';
import { freePort } from '@gerbang/testkit';
import type { Turn } from '../harness/benchmark.ts';
import { encodeShot, type Shot } from '../harness/http-connection.ts';
import { closedLoop, figuresOf, openLoop, type Target } from '../harness/http-load.ts';
import { startServer } from '../harness/server-process.ts';

const BODY = '{"reference_number":"x","amount":{"value":"10.00","currency":"IDR"}}';

/** A bare fastify route in a process of its own. */
export async function startBareFastify(
  resources: AsyncDisposableStack,
): Promise<{ port: number; target(method: Shot['method']): Target }> {
  const port = await freePort();
  await startServer(resources, path.join(import.meta.dirname, 'fastify-server.ts'), [String(port)]);
  return {
    port,
    target(method) {
      const body = method === 'POST' ? BODY : '';
      const headers: Record<string, string> = method === 'POST' ? { 'content-type': 'application/json' } : {};
      const request = encodeShot({ method, path: '/floor', headers, body });
      return { port, next: () => request, judge: (status) => (status === 200 ? 'accepted' : 'failed') };
    },
  };
}

/** As many answers as a target gives over some connections. */
export function peakOf(target: Target, options: { connections: number; durationMs: number }): Turn {
  return {
    durationMs: options.durationMs,
    measure: async (durationMs) => figuresOf(await closedLoop(target, { ...options, durationMs })),
  };
}

/** How long answers take at a share of a peak, by an arrival schedule. `peak` is the name of the figure. */
export function atShareOf(
  peak: string,
  share: number,
  target: Target,
  options: { connections: number; durationMs: number },
): Turn {
  return {
    durationMs: options.durationMs,
    measure: async (durationMs, figure) =>
      figuresOf(await openLoop(target, { ...options, durationMs, perSecond: figure(peak) * share })),
  };
}
