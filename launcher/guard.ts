import { spawn } from 'node:child_process';
import path from 'node:path';
import { identify, type ProcessIdentity } from './process-identity.ts';

/** A small process that ends the processes it watches once this one is gone, however it died (guard.mjs). */
export type Guard = {
  identity: ProcessIdentity;
  watch(child: ProcessIdentity): void;
  forget(child: ProcessIdentity): void;
  /** Sends it home; what it still watches ends with it. */
  close(): void;
};

/** Its only input is a pipe whose other end this process holds. `died` is called when the guard is gone before it was closed. */
export function startGuard(died: () => void): Guard {
  const flags = ['--max-old-space-size=16', '--max-semi-space-size=1', '--v8-pool-size=1'];
  const guard = spawn(process.execPath, [...flags, path.join(import.meta.dirname, 'guard.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  if (guard.pid === undefined) throw new Error(`can't start ${process.execPath}`);
  let open = true;
  const lost = () => {
    if (open) died();
    open = false;
  };
  guard.once('exit', lost).unref();
  guard.stdin.on('error', lost);
  const send = (line: string) => {
    if (open) guard.stdin.write(`${line}\n`);
  };
  return {
    identity: identify(guard.pid),
    watch: ({ pid, started }) => send(`+${pid} ${started}`),
    forget: ({ pid }) => send(`-${pid}`),
    close() {
      open = false;
      guard.stdin.end();
    },
  };
}
