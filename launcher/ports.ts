import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

/** Every port of the system: who listens there, the variable that moves it and its default. */
export const PORTS = {
  edge: { variable: 'EDGE_PORT', standard: 8080, purpose: 'merchant API (base_url)' },
  simulator: { variable: 'SIMULATOR_PORT', standard: 8070, purpose: 'sandbox bank and controls (simulator_url)' },
  merchantRpc: { variable: 'MERCHANT_RPC_PORT', standard: 9101, purpose: 'merchant service' },
  ledgerRpc: { variable: 'LEDGER_RPC_PORT', standard: 9102, purpose: 'ledger service' },
  moneyOutRpc: { variable: 'MONEY_OUT_RPC_PORT', standard: 9103, purpose: 'money-out service' },
  notifierRpc: { variable: 'NOTIFIER_RPC_PORT', standard: 9104, purpose: 'notifier service' },
  edgeAdmin: { variable: 'EDGE_ADMIN_PORT', standard: 9200, purpose: 'probes and metrics of edge' },
  merchantAdmin: { variable: 'MERCHANT_ADMIN_PORT', standard: 9201, purpose: 'probes and metrics of merchant' },
  ledgerAdmin: { variable: 'LEDGER_ADMIN_PORT', standard: 9202, purpose: 'probes and metrics of ledger' },
  moneyOutAdmin: { variable: 'MONEY_OUT_ADMIN_PORT', standard: 9203, purpose: 'probes and metrics of money-out' },
  notifierAdmin: { variable: 'NOTIFIER_ADMIN_PORT', standard: 9204, purpose: 'probes and metrics of notifier' },
  simulatorAdmin: { variable: 'SIMULATOR_ADMIN_PORT', standard: 9205, purpose: 'probes and metrics of simulator' },
  mongodb: { variable: 'MONGODB_PORT', standard: 27027, purpose: 'MongoDB' },
  nats: { variable: 'NATS_PORT', standard: 4223, purpose: 'NATS' },
  /** Named in demo.json already (contract §1); nothing listens there until their products exist. */
  biller: { variable: 'BILLER_PORT', standard: 8090, purpose: 'biller API (biller_url)' },
  pay: { variable: 'PAY_PORT', standard: 8081, purpose: 'customer pages (pay_url)' },
  rails: { variable: 'RAILS_PORT', standard: 8082, purpose: 'bank callbacks (rails_url)' },
} as const;

export type PortName = keyof typeof PORTS;
export type Ports = Record<PortName, number>;

const NAMES = Object.keys(PORTS) as PortName[];

/** The ports that the environment asks for; GERBANG_PORT_OFFSET shifts all defaults, for a second system beside the first. Throws with the variable's name. */
export function readPorts(env: NodeJS.ProcessEnv): Ports {
  const offset = readNumber('GERBANG_PORT_OFFSET', env, 0);
  return Object.fromEntries(
    NAMES.map((name) => [name, readNumber(PORTS[name].variable, env, PORTS[name].standard + offset)]),
  ) as Ports;
}

/** Ports that are free now, for tests. */
export async function findFreePorts(): Promise<Ports> {
  const probes = await Promise.all(NAMES.map(() => listen(0)));
  const ports = probes.map((probe) => probe.port);
  await Promise.all(probes.map((probe) => probe.close()));
  return Object.fromEntries(NAMES.map((name, i) => [name, ports[i]])) as Ports;
}

/** One line for each port that is taken: which, what for, by whom where that can be told, and the variable that moves it. */
export async function takenPorts(ports: Ports, names: readonly PortName[]): Promise<string[]> {
  const lines = await Promise.all(
    names.map(async (name) => {
      try {
        await (await listen(ports[name])).close();
        return undefined;
      } catch {
        const owner = ownerOf(ports[name]);
        const { purpose, variable } = PORTS[name];
        return `port ${ports[name]} (${purpose}) is taken${owner === undefined ? '' : ` by ${owner}`}; set ${variable} to another one`;
      }
    }),
  );
  return lines.filter((line) => line !== undefined);
}

function readNumber(variable: string, env: NodeJS.ProcessEnv, fallback: number): number {
  const text = env[variable];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new Error(`${variable} is not valid: expected a port, 0 to 65535`);
  return value;
}

async function listen(port: number): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return { port: address.port, close: promisify(server.close.bind(server)) };
}

/** The process that listens on a port, by /proc; undefined where it can't be told. */
function ownerOf(port: number): string | undefined {
  const inode = inodeOf(port);
  if (inode === undefined) return undefined;
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
        if (readlinkSync(`/proc/${pid}/fd/${descriptor}`) !== `socket:[${inode}]`) continue;
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, 3).join(' ').trim();
        return `process ${pid} (${command})`;
      }
    } catch {
      // It has ended, or belongs to somebody else.
    }
  }
  return undefined;
}

function inodeOf(port: number): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    let text: string;
    try {
      text = readFileSync(table, 'utf8');
    } catch {
      return undefined;
    }
    for (const line of text.split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hex}`) && fields[3] === '0A') return fields[9];
    }
  }
  return undefined;
}
