import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startedAt } from './data-folder.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import type { ProcessSpec } from './processes.ts';

const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 25;
const STOP_GRACE_MS = 15_000;
const RESTART_MAX_MS = 5_000;
/** A process that has lived this long starts its backoff anew. */
const STABLE_MS = 20_000;
const TAIL_LINES = 15;

/** Runs processes, starts again what dies, and ends all of them. */
export type Supervisor = {
  /** Starts stage by stage; resolves when every process is ready. Throws with the last lines of the log of one that is not in time. */
  start(): Promise<void>;
  /** Resolves when every process is ready again, after a kill for instance. */
  ready(): Promise<void>;
  /** The process id by name, of those that run now. */
  pids(): Map<string, number>;
  /** Sends a signal to one process and waits until it has ended. */
  kill(name: string, signal: NodeJS.Signals): Promise<void>;
  /** Services first, then the stores. */
  stop(): Promise<void>;
};

type Running = { spec: ProcessSpec; child: ChildProcess | undefined; log: LogFile; startedMs: number; failures: number };

/** `say` is given a line for each event that a person should see. */
export function createSupervisor(
  specs: readonly ProcessSpec[],
  options: { logFolder: string; say: (line: string) => void },
): Supervisor {
  const guard = spawn(process.execPath, [path.join(import.meta.dirname, 'guard.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  guard.stdin.on('error', () => options.say('the guard has died; a killed launcher would leave its processes'));
  const all = specs.map((spec): Running => {
    const log = openLogFile(path.join(options.logFolder, `${spec.name}.log`));
    return { spec, child: undefined, log, startedMs: 0, failures: 0 };
  });
  let stopping = false;

  const launch = (running: Running) => {
    const { spec, log } = running;
    // In a group of its own, so that Ctrl-C reaches the launcher alone, which stops everything in order.
    const child = spawn(spec.command, spec.args, {
      env: { ...process.env, ...spec.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.child = child;
    running.startedMs = Date.now();
    log.take(child.stdout);
    log.take(child.stderr);
    if (child.pid !== undefined) guard.stdin.write(`+${child.pid} ${startedAt(child.pid) ?? ''}\n`);
    child.once('error', (error) => options.say(`${spec.name} can not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      guard.stdin.write(`-${child.pid}\n`);
      running.child = undefined;
      if (!stopping) again(running, signal ?? `exit code ${code}`);
    });
  };

  const again = (running: Running, how: string) => {
    running.failures = Date.now() - running.startedMs > STABLE_MS ? 0 : running.failures + 1;
    const waitMs = running.failures <= 1 ? 0 : Math.min(100 * 2 ** running.failures, RESTART_MAX_MS);
    options.say(`${running.spec.name} ended (${how}); starting it again${waitMs === 0 ? '' : ` in ${waitMs} ms`}`);
    setTimeout(() => {
      if (!stopping) launch(running);
    }, waitMs);
  };

  const becomesReady = async (running: Running) => {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (!stopping) {
      if (running.child !== undefined && (await isReady(running.spec))) return;
      if (Date.now() > deadline || running.failures > 3) {
        const lines = await running.log.tail(TAIL_LINES);
        throw new Error(`${running.spec.name} does not get ready. The end of its log:\n    ${lines.join('\n    ')}`);
      }
      await sleep(POLL_MS);
    }
  };

  const end = async (running: Running) => {
    const { child } = running;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await exited;
    clearTimeout(force);
  };

  const inStage = (stage: ProcessSpec['stage']) => all.filter(({ spec }) => spec.stage === stage);
  return {
    async start() {
      stopping = false;
      for (const stage of ['stores', 'services'] as const) {
        inStage(stage).forEach(launch);
        await Promise.all(inStage(stage).map(becomesReady));
      }
    },
    ready: async () => {
      await Promise.all(all.map(becomesReady));
    },
    pids: () => new Map(all.flatMap(({ spec, child }) => (child?.pid === undefined ? [] : [[spec.name, child.pid] as const]))),
    async kill(name, signal) {
      const child = all.find(({ spec }) => spec.name === name)?.child;
      if (child === undefined) throw new Error(`${name} does not run`);
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
    async stop() {
      stopping = true;
      await Promise.all(inStage('services').map(end));
      for (const running of inStage('stores').reverse()) await end(running);
      guard.stdin.end();
      for (const { log } of all) log.close();
    },
  };
}

async function isReady({ ready }: ProcessSpec): Promise<boolean> {
  if ('tcp' in ready) return accepts(ready.tcp);
  try {
    const response = await fetch(ready.http, { signal: AbortSignal.timeout(3_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}
