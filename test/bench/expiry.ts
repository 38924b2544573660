import { setTimeout as sleep } from 'node:timers/promises';
import { startSystem } from '../../launcher/system.ts';
import { type MerchantClient, signIn } from '../support/merchant-client.ts';
import type { Benchmark } from './harness/benchmark.ts';

/** A fifth of what has to expire within a minute, so that making them does not take most of the time. */
const ITEMS = 20_000;
const CALLERS = 32;
const LIFE_MS = 3_600_000;
const LOOK_EVERY_MS = 200;

/** Virtual accounts that are all due in the same moment: how many a second expire, each with its event stored by the notifier (issue 7). */
export const expiry: Benchmark = {
  name: 'expiry',
  about: 'thousands of virtual accounts that expire in one moment: until the last one has',
  needs: 'nats-server; a minute',
  rounds: 0,
  bars: [{ name: 'expired a second (100,000 in a minute)', figure: 'due together.expiredPerSecond', min: 1_667 }],
  async prepare(resources) {
    const system = await startSystem({ name: 'bench-expiry', env: { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' } });
    resources.defer(() => system.stop());
    const { demo } = system;
    const merchant = await signIn(demo.base_url, demo);
    const accountId = demo.account_ids[0];
    return {
      floors: {},
      subjects: {},
      once: {
        async 'due together'() {
          const createdMs = await createAll(merchant, accountId);
          const startedMs = performance.now();
          await fetch(`${demo.simulator_url}/sandbox/clock/advance`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ ms: LIFE_MS * 2 }),
          });
          while (await hasActive(merchant, accountId)) await sleep(LOOK_EVERY_MS);
          const seconds = (performance.now() - startedMs) / 1_000;
          return {
            createdPerSecond: (ITEMS * 1_000) / createdMs,
            expiredPerSecond: ITEMS / seconds,
            lastAfterMs: seconds * 1_000,
          };
        },
      },
    };
  },
};

/** Makes them all; gives how long that took, milliseconds. */
async function createAll(merchant: MerchantClient, accountId: string): Promise<number> {
  const startedMs = performance.now();
  let left = ITEMS;
  const expiredAt = String(Date.now() + LIFE_MS);
  const caller = async () => {
    while (left-- > 0) {
      const body = {
        bank_code: 'BCA',
        kind: 'temporary',
        name: 'Bench',
        merchant_reff_no: 'bench',
        amount: 50_000,
        max_usage: 1,
        expired_at: expiredAt,
      };
      const { http, text } = await merchant.send('POST', `/api/v1.0/virtual-accounts/${accountId}`, body);
      if (http !== 200) throw new Error(`no virtual account: ${http} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return performance.now() - startedMs;
}

async function hasActive(merchant: MerchantClient, accountId: string): Promise<boolean> {
  const { http, json, text } = await merchant.get(`/api/v1.0/virtual-accounts/${accountId}?status=active&limit=1`);
  const items = Reflect.get(Object(json.data), 'items');
  if (http !== 200 || !Array.isArray(items)) throw new Error(`no list: ${http} ${text}`);
  return items.length > 0;
}
