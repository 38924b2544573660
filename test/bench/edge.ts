import { startSystem } from '../../launcher/system.ts';
import { signIn } from '../support/merchant-client.ts';
import { atShareOf, peakOf, startBareFastify } from './floors/fastify.ts';
import type { Benchmark } from './harness/benchmark.ts';
import { encodeShot } from './harness/http-connection.ts';
import type { Target } from './harness/http-load.ts';

/** The route that does the least: one call of one service, which reads what it has at hand. */
const noOp = (accountId: string) => `/api/v2.0/disbursement/fee?account_id=${accountId}&bank_code=014`;
const CONNECTIONS = 64;
const PEAK_MS = 3_000;
const SHARE_OF_PEAK = 0.7;
const SHARED_MS = 4_000;

/** Authenticated GETs through the edge beside a bare fastify GET: how many, and how long they take at 70 % of that. */
export const edge: Benchmark = {
  name: 'edge',
  about: 'authenticated GETs through the edge, the cheapest one and a balance inquiry, beside bare fastify',
  needs: 'nats-server; a minute and a half',
  rounds: 5,
  bars: [
    { name: 'edge → service no-op to bare fastify', figure: 'no-op.perSecond', over: 'floor.perSecond', min: 0.5 },
    { name: 'balance inquiry to bare fastify', figure: 'balance.perSecond', over: 'floor.perSecond', min: 0.3 },
    { name: 'p99 at 70 % of peak, no-op to floor', figure: 'no-op at 70 %.p99Ms', over: 'floor at 70 %.p99Ms', max: 2 },
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
        judge: (status) => (status === 200 ? 'accepted' : 'failed'),
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
        'no-op': peakOf(cheapest, peak),
        'no-op at 70 %': atShareOf('no-op.perSecond', SHARE_OF_PEAK, cheapest, shared),
        balance: peakOf(target(`/api/v1.0/balance-inquiry/${account_ids[0]}`), peak),
      },
    };
  },
};
