import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { findFreePorts } from '../../launcher/ports.ts';
import { processTable } from '../../launcher/processes.ts';
import { ensureSecrets } from '../../launcher/secrets.ts';
import { type Ports, SERVICES, type ServiceName } from '../../launcher/services.ts';
import { createSupervisor, type Supervisor } from '../../launcher/supervisor.ts';
import type { System } from '../../launcher/system.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Second instances of some services on the stores of a system; `ports` are theirs, and `env` are variables of theirs, over those
 * that every process of a sandbox has. They are still to be started.
 */
export function replicasOf(
  { dataFolder, mongodb, ports: first }: Pick<System, 'dataFolder' | 'mongodb' | 'ports'>,
  { replicated, ports, env }: { replicated: readonly ServiceName[]; ports: Ports; env: Record<string, string> },
): Supervisor {
  const table = processTable({
    root: ROOT,
    dataFolder,
    ports,
    replicas: 1,
    env: { MONGODB_DB_PREFIX: mongodb.prefix, ...env },
    secrets: ensureSecrets(dataFolder),
    mongodbUri: mongodb.uri,
    natsUrl: `nats://127.0.0.1:${first.NATS_PORT}`,
    shuffleUnsorted: true,
  });
  const processes = table.filter((process) => replicated.some((service) => service === process.name));
  const logFolder = path.join(dataFolder, 'replica-logs');
  mkdirSync(logFolder, { recursive: true });
  return createSupervisor(processes, { logFolder, say: () => {}, record: () => {} });
}

/** The ports of the first instances, but for those of the second ones. */
export async function replicaPorts(ports: Ports, replicated: readonly ServiceName[]): Promise<Ports> {
  const moved = new Set(SERVICES.filter(({ name }) => replicated.includes(name)).flatMap(portNamesOf));
  const taken = new Set(Object.values(ports));
  for (;;) {
    const free = await findFreePorts();
    const own = Object.fromEntries(Object.entries(free).filter(([name]) => moved.has(name)));
    if (!Object.values(own).some((port) => taken.has(port))) return { ...ports, ...own };
  }
}

/** Every port of a service, by the variable that moves it. */
function portNamesOf(row: (typeof SERVICES)[number]): string[] {
  const prefix = row.name.toUpperCase().replaceAll('-', '_');
  return [`${prefix}_ADMIN_PORT`, `${prefix}_RPC_PORT`, ...('listens' in row ? Object.keys(row.listens) : [])];
}
