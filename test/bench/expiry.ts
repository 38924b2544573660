import { setTimeout as sleep } from 'node:timers/promises';
import { startSystem } from '../../launcher/system.ts';
import { type MerchantClient, signIn } from '../support/merchant-client.ts';
import type { Benchmark } from './harness/benchmark.ts';

const CALLERS = 32;
const LIFE_MS = 3_600_000;
const LOOK_EVERY_MS = 200;

/**
 * What is made and expires: where it is made and listed under its path, by which body, and the list's word for what has not
 * expired yet.
 */
type Product = { path: string; create: string; list: string; body: (expiredAtMs: number) => object; active: string };

const VIRTUAL_ACCOUNT: Product = {
  path: 'virtual-accounts',
  create: '',
  list: '',
  body: (expiredAtMs) => ({
    bank_code: 'BCA',
    kind: 'temporary',
    name: 'Bench',
    merchant_reff_no: 'bench',
    amount: 50_000,
    max_usage: 1,
    expired_at: String(expiredAtMs),
  }),
  active: 'active',
};
const QRIS: Product = {
  path: 'qris-dynamic',
  create: '/generate',
  list: '/list',
  body: (expiredAtMs) => ({ amount: 50_000, expired_at: expiredAtMs }),
  active: 'open',
};
const EWALLET: Product = {
  path: 'ewallet-checkout',
  create: '',
  list: '',
  body: (expiredAtMs) => ({ channel: 'DANA', amount: 50_000, expired_at: expiredAtMs }),
  active: 'pending',
};

/** All that issue 7 wants drained within a minute. */
export const expiry = benchmarkOf('expiry', 'virtual accounts', 100_000, VIRTUAL_ACCOUNT);
/** What its rail is asked about first; fewer, since each is also made at the rail. */
export const expiryQris = benchmarkOf('expiry-qris', 'QRIS codes, whose acquirer is asked about each,', 20_000, QRIS);
export const expiryEwallet = benchmarkOf(
  'expiry-ewallet',
  'e-wallet checkouts, whose wallet is asked about each,',
  20_000,
  EWALLET,
);

/**
 * Things of one product that are all due in the same moment: how many a second expire, each with its event stored by the notifier
 * (issue 7).
 */
function benchmarkOf(name: string, what: string, items: number, product: Product): Benchmark {
  return {
    name,
    about: `${items} ${what} that expire in one moment: until the last one has`,
    needs: 'nats-server; three minutes',
    rounds: 0,
    bars: [{ name: 'expired a second (100,000 in a minute)', figure: 'due together.expiredPerSecond', min: 1_667 }],
    async prepare(resources) {
      const system = await startSystem({ name: 'bench-expiry', env: { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' } });
      resources.defer(() => system.stop());
      const { demo } = system;
      const merchant = await signIn(demo.base_url, demo);
      const url = `/api/v1.0/${product.path}/${demo.account_ids[0]}`;
      return {
        floors: {},
        subjects: {},
        once: {
          async 'due together'() {
            const createdMs = await createAll(merchant, url, items, product);
            const startedMs = performance.now();
            await fetch(`${demo.simulator_url}/sandbox/clock/advance`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ ms: LIFE_MS * 2 }),
            });
            while (await hasActive(merchant, url, product)) await sleep(LOOK_EVERY_MS);
            const seconds = (performance.now() - startedMs) / 1_000;
            return {
              createdPerSecond: (items * 1_000) / createdMs,
              expiredPerSecond: items / seconds,
              lastAfterMs: seconds * 1_000,
            };
          },
        },
      };
    },
  };
}

/** Makes them all; gives how long that took, milliseconds. */
async function createAll(merchant: MerchantClient, url: string, items: number, { create, body }: Product): Promise<number> {
  const startedMs = performance.now();
  const asked = body(Date.now() + LIFE_MS);
  let left = items;
  const caller = async () => {
    while (left-- > 0) {
      const { http, text } = await merchant.send('POST', url + create, asked);
      if (http !== 200 && http !== 201) throw new Error(`nothing was made: ${http} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return performance.now() - startedMs;
}

async function hasActive(merchant: MerchantClient, url: string, { list, active }: Product): Promise<boolean> {
  const { http, json, text } = await merchant.get(`${url}${list}?status=${active}&limit=1`);
  const items = Reflect.get(Object(json.data), 'items');
  if (http !== 200 || !Array.isArray(items)) throw new Error(`no list: ${http} ${text}`);
  return items.length > 0;
}
