// Outlives the launcher by a moment: when the pipe from it closes, however it died, this ends the processes that it had started
// and not yet ended. Each line on the pipe is `+<pid> <start time>` or `-<pid>`; the start time makes sure that no later process
// with the same id is meant.
import { readFileSync } from 'node:fs';
import process from 'node:process';

const GRACE_MS = 10_000;
const POLL_MS = 100;
const running = new Map();
let rest = '';

process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const [pid, started] = line.slice(1).split(' ');
    if (line.startsWith('+')) running.set(Number(pid), started);
    else running.delete(Number(pid));
  }
});
process.stdin.on('close', () => {
  const deadline = Date.now() + GRACE_MS;
  signalAll('SIGTERM');
  setInterval(() => {
    if (Date.now() > deadline) signalAll('SIGKILL');
    for (const pid of running.keys()) if (!lives(pid)) running.delete(pid);
    if (running.size === 0) process.exit(0);
  }, POLL_MS);
});
// A signal to the launcher's whole group means the launcher; this one still has work to do.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

function signalAll(signal) {
  for (const pid of running.keys()) {
    if (!lives(pid)) continue;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

function lives(pid) {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] !== 'Z' && fields[19] === running.get(pid);
  } catch (error) {
    // Without /proc (not Linux) the id alone has to do.
    return process.platform !== 'linux' && error.code === 'ENOENT';
  }
}
