import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { eventually, freePort } from '@gerbang/testkit';

/** One of the examples as a running server, in a folder of its own. */
export type Receiver = {
  port: number;
  folder: string;
  /** Standard output, then standard error. */
  output(): string;
  /** Whether it listens, or has ended instead. */
  settled(): Promise<'listens' | 'ended'>;
  close(): Promise<void>;
};

/** Starts an example; all that it starts itself ends with it. */
export async function startReceiver(options: {
  program: string;
  parameters: (port: number) => string[];
  folder: string;
  env: NodeJS.ProcessEnv;
  patienceMs: number;
}): Promise<Receiver> {
  const port = await freePort();
  const cwd = mkdtempSync(path.join(options.folder, 'receiver-'));
  const child = spawn(options.program, options.parameters(port), {
    cwd,
    env: { ...options.env, PORT: String(port) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = ['', ''];
  for (const [i, stream] of [child.stdout, child.stderr].entries())
    stream.on('data', (chunk: Buffer) => (output[i] += String(chunk)));
  const closed = once(child, 'close');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    port,
    folder: cwd,
    output: () => output.join(''),
    async settled() {
      await eventually('the example listens', async () => hasEnded() || (await listens(port)), options.patienceMs);
      return hasEnded() ? 'ended' : 'listens';
    },
    async close() {
      if (child.pid !== undefined && !hasEnded()) process.kill(-child.pid, 'SIGKILL');
      await closed;
    },
  };
}

/** Begins a request and breaks off in the middle of its body. */
export async function breakOff(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST /hooks HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":');
  socket.resetAndDestroy();
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const answered = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return answered;
}
