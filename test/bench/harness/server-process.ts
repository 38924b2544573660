import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server that runs as a process of its own. */
export type ServerProcess = { pid: number; readyMs: number };

/**
 * Starts a Node program and waits for its first line, which says that it is ready; SIGTERM ends it when `resources` is disposed
 * of. Throws when it ends before.
 */
export async function startServer(
  resources: AsyncDisposableStack,
  main: string,
  args: readonly string[],
): Promise<ServerProcess & { stop(): Promise<void> }> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  resources.defer(stop);
  const ended = exited.then(() => Promise.reject(new Error(`${main} ended before it was ready`)));
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => {});
  // Whatever else it prints must not fill the pipe.
  child.stdout.resume();
  if (child.pid === undefined) throw new Error(`${main} was not started`);
  return { pid: child.pid, readyMs: performance.now() - startMs, stop };
}

/**
 * For a program that only a benchmark starts: says that it is ready, and ends on SIGTERM or with the benchmark, in a way that
 * lets profiles be written.
 */
export function serveBenchmark(): void {
  process.once('SIGTERM', () => process.exit(0));
  process.stdin.on('end', () => process.exit(0)).resume();
  process.stdout.write('ready\n');
}
