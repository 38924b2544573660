import { parseArgs } from 'node:util';
import type { Demo } from './demo.ts';
import { onParentGone } from './parent.ts';
import { readPorts } from './ports.ts';
import { openSystem, type System } from './system.ts';

/** More would only slow one machine down. */
const REPLICAS_MAX = 8;

/**
 * `npm start [-- --fresh] [--replicas N]`: the whole system until Ctrl-C, SIGTERM, or the death of the terminal or of the npm that started it.
 */
export async function start(args: string[]): Promise<void> {
  const startMs = performance.now();
  const interrupted = new AbortController();
  const stopRequested = new Promise<void>((resolve) => interrupted.signal.addEventListener('abort', () => resolve()));
  const stop = () => {
    if (!interrupted.signal.aborted) process.stdout.write('\nStopping …\n');
    interrupted.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  onParentGone(stop);
  // A terminal that has gone takes no more text; that must not stop the stopping.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    const system = await open(args, interrupted.signal);
    process.stdout.write(welcome(system.demo, system.dataFolder, (performance.now() - startMs) / 1_000));
    await stopRequested;
    await system.stop();
    process.exit(0);
  } catch (error) {
    if (interrupted.signal.aborted) process.exit(0);
    process.stderr.write(`gerbang: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function open(args: string[], signal: AbortSignal): Promise<System> {
  const { values } = parseArgs({
    args,
    options: { fresh: { type: 'boolean', default: false }, replicas: { type: 'string', default: '1' } },
  });
  process.stdout.write('Starting Gerbang …\n');
  return openSystem({
    dataFolder: process.env.GERBANG_DATA ?? '.gerbang',
    ports: readPorts(process.env),
    fresh: values.fresh,
    replicas: replicasFrom(values.replicas),
    mongodbUri: process.env.MONGODB_URI || undefined,
    natsUrl: process.env.NATS_URL || undefined,
    env: {},
    say: (line) => process.stdout.write(`${new Date().toISOString()} ${line}\n`),
    signal,
  });
}

function replicasFrom(text: string): number {
  const replicas = Number(text);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > REPLICAS_MAX)
    throw new Error(`--replicas is not valid: expected a whole number from 1 to ${REPLICAS_MAX}`);
  return replicas;
}

function welcome(demo: Demo, dataFolder: string, seconds: number): string {
  return `
Gerbang is ready after ${seconds.toFixed(1)} s.

  merchant API     ${demo.base_url}
  API reference    ${demo.base_url}/docs
  signature check  ${demo.base_url}/docs/signature
  sandbox bank     ${demo.simulator_url}/sandbox/…
  data and logs    ${dataFolder}

Demo merchant (also in ${dataFolder}/demo.json)

  partner id       ${demo.partner_id}
  client id        ${demo.client_id}
  client secret    ${demo.client_secret}
  accounts         ${demo.account_ids.join('  ')}

The API reference, to send requests that your browser signs for this merchant

  ${referenceUrl(demo)}

A first call: an access token

  curl -s ${demo.base_url}/api/v1.0/access-token/b2b -u '${demo.client_id}:${demo.client_secret}' \\
    -H 'X-PARTNER-ID: ${demo.partner_id}' -H 'Content-Type: application/json' -d '{"grant_type":"client_credentials"}'

Next: the first payment in README.md. Ctrl-C stops everything.
`;
}

/** The credentials are in the fragment, which browsers send to no server; the page takes them out of the address bar. */
function referenceUrl({ base_url, partner_id, client_id, client_secret }: Demo): string {
  return `${base_url}/docs#${new URLSearchParams({ partner_id, client_id, client_secret })}`;
}
