import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLedgerChannel } from '@gerbang/neighbours';
import { Intent, LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { openChannel } from '@gerbang/rpc';
import { findFreePorts } from '../../launcher/ports.ts';
import { openSystem, type System } from '../../launcher/system.ts';
import { signIn } from '../support/merchant-client.ts';
import { residentMiB } from './ledger-takeover.ts';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000);
const CALLERS = 512;

/**
 * A statement of a million entries as CSV, through the edge: rows a second, and what the edge's and the ledger's memory grows by
 * meanwhile.
 */
export async function benchCsv(): Promise<object> {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'gerbang-bench-csv-'));
  const ports = await findFreePorts();
  let system: System | undefined;
  try {
    const env = { LOG_LEVEL: 'warn' };
    system = await openSystem({ dataFolder, ports, fresh: false, mongodbUri: undefined, natsUrl: undefined, env, say: () => {} });
    const { merchant_id: merchantId, account_ids } = system.demo;
    await postEntries(ports.LEDGER_RPC_PORT, await partitionOf(ports.MERCHANT_RPC_PORT, merchantId), merchantId, account_ids[0]);
    const merchant = await signIn(system.demo.base_url, system.demo);
    // It waits for the projections, and warms up what a stream needs.
    await merchant.send('GET', `/api/v1.0/account-statements/${account_ids[0]}?limit=100`);
    const pids = { edge: pidOf(system, 'edge'), ledger: pidOf(system, 'ledger') };
    const before = { edge: residentMiB(pids.edge), ledger: residentMiB(pids.ledger) };
    const peak = { ...before };
    const sampling = setInterval(() => {
      peak.edge = Math.max(peak.edge, residentMiB(pids.edge));
      peak.ledger = Math.max(peak.ledger, residentMiB(pids.ledger));
    }, 200);
    const startMs = performance.now();
    const rows = await countRows(`${system.demo.base_url}/api/v1.0/account-statements/${account_ids[0]}`, {
      authorization: `Bearer ${merchant.token}`,
      'x-partner-id': system.demo.partner_id,
    });
    clearInterval(sampling);
    const seconds = (performance.now() - startMs) / 1_000;
    // The demo's own funding is the one more.
    if (rows !== ROWS + 1) throw new Error(`${rows} rows instead of ${ROWS + 1}`);
    return {
      rows,
      seconds: Number(seconds.toFixed(1)),
      rowsPerSecond: Math.round(rows / seconds),
      restMiB: before,
      peakMiB: peak,
    };
  } finally {
    await system?.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function partitionOf(port: number, merchantId: string): Promise<string> {
  const channel = openChannel({ address: `127.0.0.1:${port}`, tls: undefined });
  try {
    const { profile } = await channel.client(MerchantService).getProfile({ merchantId });
    if (profile === undefined) throw new Error('the demo merchant has no profile');
    return profile.partition;
  } finally {
    await channel.close();
  }
}

async function postEntries(port: number, partition: string, merchantId: string, accountId: string): Promise<void> {
  const channel = openLedgerChannel({ addresses: [`127.0.0.1:${port}`], tls: undefined, timeoutMs: 60_000 });
  const ledger = channel.client(LedgerService);
  let sent = 0;
  const caller = async () => {
    while (sent < ROWS) {
      const n = sent++;
      await ledger.post({
        merchantId,
        partition,
        postingKey: `csv-${n}`,
        intent: Intent.HOLD,
        accountId,
        amountSen: 1n,
        product: 'disbursement',
        transactionId: `transaction-${n}`,
        referenceNumber: `reference-${n}`,
        description: 'Sewa, Agustus',
      });
    }
  };
  try {
    await Promise.all(Array.from({ length: CALLERS }, caller));
  } finally {
    await channel.close();
  }
}

/** Reads a CSV as fast as it comes, and answers how many rows it has below its header. */
async function countRows(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { headers: { ...headers, accept: 'text/csv' } });
  if (!response.ok || response.body === null) throw new Error(`no CSV: ${response.status}`);
  let lines = 0;
  for await (const chunk of response.body) {
    for (const byte of chunk) if (byte === 10) lines++;
  }
  return lines - 1;
}

function pidOf({ pids }: System, service: string): number {
  const known = new Set(pids());
  const found = readdirSync('/proc')
    .map(Number)
    .find((pid) => known.has(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`services/${service}/src/main.ts`));
  if (found === undefined) throw new Error(`no process of ${service}`);
  return found;
}
