import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually, freePort } from '@gerbang/testkit';
import { NODE_FLAGS } from '../../launcher/process-spec.ts';

/** A service as a process of its own. */
export type ServiceProcess = { pid: number; end(signal?: NodeJS.Signals): Promise<void> };

/** Starts a service with nothing but these variables and waits until its probe answers at all (it may still wait for others). */
export async function startServiceProcess(name: string, env: Record<string, string>): Promise<ServiceProcess> {
  const adminPort = await freePort();
  const main = fileURLToPath(new URL(`../../services/${name}/src/main.ts`, import.meta.url));
  const { NODE_OPTIONS } = process.env;
  const profiling = NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS };
  const child: ChildProcess = spawn(process.execPath, [...NODE_FLAGS, main], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      ...profiling,
      GERBANG_ENV: 'sandbox',
      LOG_LEVEL: 'error',
      ADMIN_PORT: String(adminPort),
      ...env,
    },
  });
  // A test that fails before it has ended the service leaves nothing behind that would keep the run open.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const answers = async () => (await fetch(`http://127.0.0.1:${adminPort}/livez`)).ok;
  await eventually(`${name} listens`, answers, 30_000);
  if (child.pid === undefined) throw new Error(`${name} was not started`);
  return {
    pid: child.pid,
    async end(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}
