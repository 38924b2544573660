import { type System, startSystem } from '../../launcher/system.ts';
import { signIn } from '../support/merchant-client.ts';
import { atShareOf, peakOf, startBareFastify } from './floors/fastify.ts';
import type { Benchmark, Turn } from './harness/benchmark.ts';
import { encodeShot } from './harness/http-connection.ts';
import type { Target } from './harness/http-load.ts';
import { cpuMsByProcess } from './process-cpu.ts';

/** The route that does the least: one question to one service, which has the answer in its memory. */
const noOp = (accountId: string) => `/api/v2.0/disbursement/fee?account_id=${accountId}&bank_code=014`;
const CONNECTIONS = 64;
const PEAK_MS = 3_000;
const SHARE_OF_PEAK = 0.7;
const SHARED_MS = 4_000;

const judge: Target['judge'] = (status) => (status === 200 ? 'accepted' : status === 503 ? 'refused' : 'failed');

/** Authenticated GETs through the edge beside a bare fastify GET: how many, and how long they take at 70 % of that. */
export const edge: Benchmark = {
  name: 'edge',
  about: 'authenticated GETs through the edge, the cheapest one and a balance inquiry, beside bare fastify',
  needs: 'nats-server; a minute and a half',
  rounds: 5,
  compared: ['no-op.perSecond', 'balance.perSecond'],
  bars: [
    { name: 'edge → service no-op to bare fastify', figure: 'no-op.perSecond', over: 'floor.perSecond', min: 0.5 },
    { name: 'balance inquiry to bare fastify', figure: 'balance.perSecond', over: 'floor.perSecond', min: 0.3 },
    { name: 'p99 at 70 % of peak, no-op to floor', figure: 'no-op at 70 %.p99Ms', over: 'floor at 70 %.p99Ms', max: 2 },
    // With more refusals than this the 99th of a hundred has no answer.
    { name: 'refused at 70 % of peak, share', figure: 'no-op at 70 %.refusedShare', max: 0.01 },
  ],
  async prepare(resources) {
    const system = await startSystem({ name: 'bench-edge', env: { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' } });
    resources.defer(() => system.stop());
    const { base_url, partner_id, account_ids } = system.demo;
    const { token } = await signIn(base_url, system.demo);
    const headers = { authorization: `Bearer ${token}`, 'x-partner-id': partner_id };
    const target = (path: string): Target => {
      const request = encodeShot({ method: 'GET', path, headers, body: '' });
      return {
        port: Number(new URL(base_url).port),
        next: () => request,
        judge,
      };
    };
    const floor = (await startBareFastify(resources)).target('GET');
    const cheapest = target(noOp(account_ids[0]));
    const peak = { connections: CONNECTIONS, durationMs: PEAK_MS };
    const shared = { connections: CONNECTIONS, durationMs: SHARED_MS };
    return {
      floors: {
        floor: peakOf(floor, peak),
        'floor at 70 %': atShareOf('floor.perSecond', SHARE_OF_PEAK, floor, shared),
      },
      subjects: {
        'no-op': withCpu(system, peakOf(cheapest, peak)),
        'no-op at 70 %': atShareOf('no-op.perSecond', SHARE_OF_PEAK, cheapest, shared),
        balance: withCpu(system, peakOf(target(`/api/v1.0/balance-inquiry/${account_ids[0]}`), peak)),
      },
    };
  },
};

/** Adds the processor's time that each process takes for an accepted answer, where it is a whole microsecond at least. */
function withCpu(system: System, turn: Turn): Turn {
  return {
    durationMs: turn.durationMs,
    async measure(durationMs, figure) {
      const before = cpuMsByProcess(system.pids());
      const figures: Record<string, number> = { ...(await turn.measure(durationMs, figure)) };
      const answers = ((figures.perSecond ?? Number.NaN) * durationMs) / 1_000;
      for (const [name, ms] of cpuMsByProcess(system.pids())) {
        const micros = ((ms - (before.get(name) ?? 0)) * 1_000) / answers;
        if (micros >= 1) figures[`cpuMicros.${name}`] = micros;
      }
      return figures;
    },
  };
}
