import { Socket } from 'node:net';
import { parseArgs } from 'node:util';
import type { Demo } from './demo.ts';
import { readPorts } from './ports.ts';
import { openSystem, type System } from './system.ts';

/** `npm start [-- --fresh]`: the whole system until Ctrl-C, SIGTERM, or the death of the terminal or of the npm that started it. */
export async function start(args: string[]): Promise<void> {
  const startMs = performance.now();
  let system: System | undefined;
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    if (system === undefined) return;
    process.stdout.write('\nStopping …\n');
    await system.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  onParentGone(stop);
  // A terminal that has gone takes no more text; that must not stop the stopping.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    const { values } = parseArgs({ args, options: { fresh: { type: 'boolean', default: false } } });
    process.stdout.write('Starting Gerbang …\n');
    system = await openSystem({
      dataFolder: process.env.GERBANG_DATA ?? '.gerbang',
      ports: readPorts(process.env),
      fresh: values.fresh,
      mongodbUri: process.env.MONGODB_URI || undefined,
      natsUrl: process.env.NATS_URL || undefined,
      env: {},
      say: (line) => process.stdout.write(`${new Date().toISOString()} ${line}\n`),
    });
  } catch (error) {
    process.stderr.write(`gerbang: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  if (stopping) {
    await system.stop();
    process.exit(0);
  }
  process.stdout.write(welcome(system.demo, system.dataFolder, (performance.now() - startMs) / 1_000));
}

/** The bootstrap holds the other end of a pipe (GERBANG_PARENT_FD): its end means that it was killed. */
function onParentGone(gone: () => void): void {
  const descriptor = process.env.GERBANG_PARENT_FD;
  if (descriptor === undefined) return;
  // A socket, not a file stream: a blocked read of a file would keep the process from exiting.
  new Socket({ fd: Number(descriptor), readable: true, writable: false }).on('end', gone).on('error', gone).resume().unref();
}

function welcome(demo: Demo, dataFolder: string, seconds: number): string {
  return `
Gerbang is ready after ${seconds.toFixed(1)} s.

  merchant API     ${demo.base_url}
  sandbox bank     ${demo.simulator_url}/sandbox/…
  data and logs    ${dataFolder}

Demo merchant (also in ${dataFolder}/demo.json)

  partner id       ${demo.partner_id}
  client id        ${demo.client_id}
  client secret    ${demo.client_secret}
  accounts         ${demo.account_ids.join('  ')}

A first call: an access token

  curl -s ${demo.base_url}/api/v1.0/access-token/b2b -u '${demo.client_id}:${demo.client_secret}' \\
    -H 'X-PARTNER-ID: ${demo.partner_id}' -H 'Content-Type: application/json' -d '{"grant_type":"client_credentials"}'

Next: the first payment in README.md. Ctrl-C stops everything.
`;
}
