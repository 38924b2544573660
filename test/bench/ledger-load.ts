import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError } from '@gerbang/core';
import { Intent, type LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { RpcClient } from '@gerbang/rpc';

export const MERCHANTS = 1_000;
export const ACCOUNTS = 10_000;
export const CALLERS = 2_048;
const FUNDED_SEN = 10n ** 12n;
/** How long a caller rests that was refused because the ledger has too much to do. */
const REST_MS = 100;

export type Ledger = RpcClient<typeof LedgerService>;
export type Load = { perSecond: number; p50Ms: number; p99Ms: number; refused: number };

/**
 * Calls one after the other by each of a number of callers, for a time. Refusals as unavailable are counted; any other failure
 * ends it.
 */
export async function drive(callers: number, durationMs: number, call: (n: number) => Promise<unknown>): Promise<Load> {
  const latenciesMs: number[] = [];
  let n = 0;
  let refused = 0;
  const startMs = performance.now();
  const caller = async () => {
    while (performance.now() - startMs < durationMs) {
      const sentMs = performance.now();
      try {
        await call(n++);
        latenciesMs.push(performance.now() - sentMs);
      } catch (error) {
        if (!(error instanceof RefusalError) || !['unavailable', 'overloaded'].includes(error.refusal.refused)) throw error;
        refused++;
        await sleep(REST_MS);
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const tookMs = performance.now() - startMs;
  latenciesMs.sort((a, b) => a - b);
  const at = (share: number) => Number((latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN).toFixed(2));
  return { perSecond: Math.round((latenciesMs.length / tookMs) * 1_000), p50Ms: at(0.5), p99Ms: at(0.99), refused };
}

let keys = 0;

function post(ledger: Ledger, intent: Intent, account: number, amountSen: bigint) {
  const key = ++keys;
  const request = {
    merchantId: `merchant-${account % MERCHANTS}`,
    partition: 'p0',
    postingKey: `bench-${key}`,
    intent,
    accountId: `account-${account}`,
    amountSen,
    rail: 'bank-transfer',
    product: 'disbursement',
    transactionId: `transaction-${key}`,
    referenceNumber: `reference-${key}`,
    description: 'Bench',
  };
  return ledger.post(request, { retry: false });
}

export const hold = (ledger: Ledger, account: number) => post(ledger, Intent.HOLD, account, 1n);

/** Money for every account; it warms everything up, too. */
export async function fund(ledger: Ledger): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < ACCOUNTS) await post(ledger, Intent.CREDIT, next++, FUNDED_SEN);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

export const uniform = () => Math.floor(Math.random() * ACCOUNTS);

/** Ranks by Zipf's law with exponent 1. */
export function zipfian(size: number): () => number {
  const cumulative: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= size; rank++) {
    sum += 1 / rank;
    cumulative.push(sum);
  }
  return () => {
    const wanted = Math.random() * sum;
    let [low, high] = [0, size - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
