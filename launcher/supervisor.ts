import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGuard } from './guard.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import { identify, type ProcessIdentity } from './process-identity.ts';
import type { ProcessSpec } from './process-spec.ts';
import { isReady } from './readiness.ts';

const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 25;
const STOP_GRACE_MS = 15_000;
const RESTART_FIRST_MS = 200;
const RESTART_MAX_MS = 5_000;
/** A process that has lived this long starts its backoff anew. */
const STABLE_MS = 20_000;
/** How often a process may end before the first start as a whole is given up. */
const START_FAILURES_MAX = 3;
const ROTATE_EVERY_MS = 10_000;
const TAIL_LINES = 15;

/** Runs processes, starts again what dies, and ends all of them. */
export type Supervisor = {
  /**
   * Starts stage by stage; resolves when every process is ready. Throws with the last lines of the log of one that fails or is
   * not in time.
   */
  start(): Promise<void>;
  /** Resolves when every process is ready again, after a kill for instance. */
  ready(): Promise<void>;
  /** The process id by name, of those that run now. */
  pids(): Map<string, number>;
  /** Sends a signal to one process and waits until it has ended. */
  kill(name: string, signal: NodeJS.Signals): Promise<void>;
  /** Services first, then the stores; a start that is under way fails. Every call waits for the end. */
  stop(): Promise<void>;
};

export type SupervisorOptions = {
  logFolder: string;
  /** Given a line for each event that a person should see. */
  say: (line: string) => void;
  /** Told which processes run, the guard among them, whenever that changes. */
  record: (processes: ProcessIdentity[]) => void;
};

type Running = {
  spec: ProcessSpec;
  log: LogFile;
  child: ChildProcess | undefined;
  identity: ProcessIdentity | undefined;
  startedMs: number;
  failures: number;
  again: NodeJS.Timeout | undefined;
};

export function createSupervisor(specs: readonly ProcessSpec[], options: SupervisorOptions): Supervisor {
  const { say } = options;
  const guard = startGuard(() => say('the guard has died; from now on a killed launcher would leave its processes'));
  const all = specs.map((spec): Running => {
    const log = openLogFile(path.join(options.logFolder, `${spec.name}.log`));
    return { spec, log, child: undefined, identity: undefined, startedMs: 0, failures: 0, again: undefined };
  });
  const rotation = setInterval(() => {
    for (const { log } of all) log.rotate();
  }, ROTATE_EVERY_MS).unref();
  const stopping = new AbortController();
  let stopped: Promise<void> | undefined;

  const record = () => options.record([guard.identity, ...all.flatMap(({ identity }) => identity ?? [])]);

  const launch = (running: Running) => {
    const { spec, log } = running;
    const stdio = ['ignore' as const, log.descriptor, log.descriptor];
    // In a group of its own, so that Ctrl-C reaches only the launcher, which stops everything in order.
    const [command, ...args] = withoutCoreFiles([spec.command, ...spec.args]);
    const child = spawn(command, args, { env: { ...process.env, ...spec.env }, stdio, detached: true });
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    Object.assign(running, { child, identity, startedMs: Date.now() });
    if (identity !== undefined) guard.watch(identity);
    record();
    const ended = (how: string) => {
      if (running.child !== child) return;
      Object.assign(running, { child: undefined, identity: undefined });
      if (identity !== undefined) guard.forget(identity);
      record();
      if (!stopping.signal.aborted) startAgain(running, how);
    };
    child.once('error', (error) => ended(error.message));
    child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
  };

  const startAgain = (running: Running, how: string) => {
    running.failures = Date.now() - running.startedMs > STABLE_MS ? 1 : running.failures + 1;
    const waitMs = running.failures === 1 ? 0 : Math.min(RESTART_FIRST_MS * 2 ** (running.failures - 2), RESTART_MAX_MS);
    say(`${running.spec.name} ended (${how}); starting it again${waitMs === 0 ? '' : ` in ${waitMs / 1_000} s`}`);
    running.again = setTimeout(launch, waitMs, running);
  };

  const becomesReady = async (running: Running, failuresMax: number) => {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    for (;;) {
      if (stopping.signal.aborted) throw new Error('stopped before everything was ready');
      if (running.child !== undefined && (await isReady(running.spec.ready))) return;
      if (Date.now() > deadline || running.failures > failuresMax) throw new Error(await notReady(running));
      await sleep(POLL_MS);
    }
  };

  const inStage = (stage: ProcessSpec['stage']) => all.filter(({ spec }) => spec.stage === stage);

  const stopAll = async () => {
    stopping.abort();
    for (const { again } of all) clearTimeout(again);
    await Promise.all(inStage('services').map(end));
    for (const running of inStage('stores').reverse()) await end(running);
    guard.close();
    clearInterval(rotation);
    for (const { log } of all) log.close();
  };

  return {
    async start() {
      for (const stage of ['stores', 'services'] as const) {
        inStage(stage).forEach(launch);
        await Promise.all(inStage(stage).map((running) => becomesReady(running, START_FAILURES_MAX)));
      }
    },
    async ready() {
      await Promise.all(all.map((running) => becomesReady(running, Number.POSITIVE_INFINITY)));
    },
    pids: () => new Map(all.flatMap(({ spec, child }) => (child?.pid === undefined ? [] : [[spec.name, child.pid] as const]))),
    async kill(name, signal) {
      const child = all.find(({ spec }) => spec.name === name)?.child;
      if (child === undefined) throw new Error(`${name} does not run`);
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
    stop() {
      stopped ??= stopAll();
      return stopped;
    },
  };
}

/**
 * The same command under a limit of no core files: a core file has all of the process's memory, and so its secrets. The shell
 * becomes the command, so its process id is the child's.
 */
function withoutCoreFiles(command: [string, ...string[]]): [string, ...string[]] {
  return process.platform === 'win32' ? command : ['/bin/sh', '-c', 'ulimit -c 0; exec "$0" "$@"', ...command];
}

/** SIGTERM; SIGKILL to what has not finished within the grace. */
async function end({ child }: Running): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
  await exited;
  clearTimeout(force);
}

async function notReady({ spec, log }: Running): Promise<string> {
  const lines = await log.tail(TAIL_LINES);
  return [`${spec.name} does not get ready. The end of its log:`, ...lines].join('\n    ');
}
