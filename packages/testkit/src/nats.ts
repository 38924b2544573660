import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A nats-server with JetStream on a free port and a store of its own. */
export type TestNats = {
  url: string;
  /** Kills it (SIGKILL) and starts it again on the same port; `loseStore` deletes what it had stored. */
  restart(options: { loseStore: boolean }): Promise<void>;
  /** Kills it (SIGKILL), lets `change` do what it likes to the folder of its store, and starts it again on the same port. */
  restartAfter(change: (folder: string) => Promise<void>): Promise<void>;
  /** Where it stores, `<folder>/jetstream/$G/streams/<stream>`. */
  folder: string;
  stop(): Promise<void>;
};

/** A configuration file of the server, and the variables that it names. */
type Configured = { config?: string; env?: Record<string, string> };

/** Starts the `nats-server` of the PATH, on a free port unless one is given. */
export async function startTestNats(options: { port?: number } & Configured = {}): Promise<TestNats> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gerbang-nats-'));
  const port = options.port ?? (await freePort());
  let server = await launch(folder, port, options);
  const restartAfter = async (change: (folder: string) => Promise<void>) => {
    await end(server, 'SIGKILL');
    await change(folder);
    server = await launch(folder, port, options);
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    folder,
    restartAfter,
    restart: ({ loseStore }) =>
      restartAfter(async () => {
        if (loseStore) await rm(folder, { recursive: true, force: true });
      }),
    async stop() {
      await end(server, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A TCP port that nothing listens on now, below the range that connections are made from: a client that keeps trying to reach a
 * killed server on a port of that range connects to itself sooner or later, and then holds the port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

async function launch(folder: string, port: number, { config, env }: Configured): Promise<ChildProcess> {
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder];
  const server = spawn('nats-server', [...args, ...(config === undefined ? [] : ['-c', config])], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ready = new Promise<void>((resolve, reject) => {
    let text = '';
    server.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('Server is ready')) resolve();
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`nats-server ended with ${code}: ${text.slice(-500)}`)));
  });
  await ready;
  return server;
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill(signal);
  await exited;
}
