import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { PORTS, type PortName, type Ports } from './services.ts';

const PORT_MAX = 65_535;
const NAMES = Object.keys(PORTS) as PortName[];

/**
 * The ports that the environment asks for; GERBANG_PORT_OFFSET shifts all defaults, for a second system on the same machine.
 * Throws with the name of the variable that is wrong.
 */
export function readPorts(env: NodeJS.ProcessEnv): Ports {
  const offset = readNumber(env, 'GERBANG_PORT_OFFSET') ?? 0;
  const ports = NAMES.map((name): [PortName, number] => {
    const port = readNumber(env, name) ?? PORTS[name].standard + offset;
    if (port < 1 || port > PORT_MAX) throw new Error(`${name}: ${port} is no port; choose one, or a smaller GERBANG_PORT_OFFSET`);
    return [name, port];
  });
  for (const [i, [name, port]] of ports.entries()) {
    const other = ports.slice(0, i).find(([, earlier]) => earlier === port)?.[0];
    if (other !== undefined) throw new Error(`${other} and ${name} are both ${port}; each needs its own`);
  }
  return Object.fromEntries(ports) as Ports;
}

/**
 * Below the range that connections are made from: a client that keeps trying to reach a killed server on a port of that range
 * connects to itself sooner or later, and then holds the port.
 */
const TEST_PORTS = [10_000, 32_000] as const;

/** Ports that are free now, for tests. */
export async function findFreePorts(): Promise<Ports> {
  const ports = {} as Ports;
  const taken = new Set<number>();
  for (const name of NAMES) {
    do ports[name] = randomInt(...TEST_PORTS);
    while (taken.has(ports[name]) || (await whyNot(ports[name])) !== undefined);
    taken.add(ports[name]);
  }
  return ports;
}

/**
 * One line for each port that can't be had: which, what for, by which process where that is known, and the variable that
 * moves it.
 */
export async function takenPorts(ports: Ports, names: readonly PortName[]): Promise<string[]> {
  const lines: string[] = [];
  for (const name of names) {
    const reason = await whyNot(ports[name]);
    if (reason !== undefined) lines.push(`port ${ports[name]} (${PORTS[name].purpose}) ${reason}; set ${name} to another one`);
  }
  return lines;
}

async function whyNot(port: number): Promise<string | undefined> {
  try {
    await (await listen(port)).close();
    return undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return 'may not be used by this user';
    const owner = ownerOf(port);
    return owner === undefined ? 'is taken' : `is taken by ${owner}`;
  }
}

function readNumber(env: NodeJS.ProcessEnv, variable: string): number | undefined {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,5}$/.test(text)) throw new Error(`${variable} is not valid: expected a number`);
  return Number(text);
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
