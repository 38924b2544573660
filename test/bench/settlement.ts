import { setTimeout as sleep } from 'node:timers/promises';
import { startSystem } from '../../launcher/system.ts';
import { call, dataOf, type MerchantClient, signIn } from '../support/merchant-client.ts';
import type { Benchmark } from './harness/benchmark.ts';

/** As many as can be paid, one callback each, in less time than a benchmark may take. */
const PAYMENTS = 6_400;
const CALLERS = 32;
const RUPIAH = 20_000;
const LOOK_EVERY_MS = 100;

/**
 * Payments of virtual accounts that are all due in the same moment: how many a second become available to the merchant (issue 7).
 */
export const settlement: Benchmark = {
  name: 'settlement',
  about: 'thousands of payments that settle in one moment: until nothing is pending',
  needs: 'nats-server; a minute',
  rounds: 0,
  bars: [{ name: 'settled a second (100,000 in a minute)', figure: 'due together.settledPerSecond', min: 1_667 }],
  async prepare(resources) {
    const system = await startSystem({
      name: 'bench-settlement',
      env: { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'warn', SETTLEMENT_RULES: 'virtual-account=3600s' },
    });
    resources.defer(() => system.stop());
    const { demo } = system;
    const merchant = await signIn(demo.base_url, demo);
    const accountId = demo.account_ids[1];
    return {
      floors: {},
      subjects: {},
      once: {
        async 'due together'() {
          const startedPayingMs = performance.now();
          await Promise.all(Array.from({ length: CALLERS }, () => payOften(merchant, accountId, demo.simulator_url)));
          const payingMs = performance.now() - startedPayingMs;
          const startedMs = performance.now();
          await call('POST', `${demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms: 7_200_000 }));
          while ((await merchant.balance(accountId)).pending > 0n) await sleep(LOOK_EVERY_MS);
          const seconds = (performance.now() - startedMs) / 1_000;
          return {
            paidPerSecond: (PAYMENTS * 1_000) / payingMs,
            settledPerSecond: PAYMENTS / seconds,
            lastAfterMs: seconds * 1_000,
          };
        },
      },
    };
  },
};

/** One customer after the other, at a permanent virtual account of their own. */
async function payOften(merchant: MerchantClient, accountId: string, simulatorUrl: string): Promise<void> {
  const { number } = dataOf(
    await merchant.send('POST', `/api/v1.0/virtual-accounts/${accountId}`, {
      bank_code: 'BCA',
      kind: 'permanent',
      name: 'Bench',
      merchant_reff_no: 'bench',
      amount: RUPIAH,
    }),
  );
  for (let paid = 0; paid < Math.ceil(PAYMENTS / CALLERS); paid++) {
    const path = `${simulatorUrl}/sandbox/virtual-accounts/${number}/pay`;
    const { json, text } = await call('POST', path, JSON.stringify({ amount: RUPIAH }));
    if (json.accepted !== true) throw new Error(`not paid: ${text}`);
  }
}
