// Outlives the launcher by a moment: when the pipe from it closes, however it died, this ends the processes that it had started and not yet ended.
// Each line on the pipe is `+<pid> <start time>` or `-<pid>`; the start time makes sure that no later process with the same id is meant.
import { readFileSync } from 'node:fs';

const GRACE_MS = 10_000;
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
process.stdin.on('end', () => {
  end('SIGTERM');
  if (running.size === 0) process.exit(0);
  const deadline = Date.now() + GRACE_MS;
  setInterval(() => {
    for (const pid of running.keys()) if (!isSame(pid)) running.delete(pid);
    if (running.size === 0) process.exit(0);
    if (Date.now() > deadline) end('SIGKILL');
  }, 100);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

function end(signal) {
  for (const pid of running.keys()) {
    if (!isSame(pid)) running.delete(pid);
    else process.kill(pid, signal);
  }
}

function isSame(pid) {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] === running.get(pid);
  } catch (error) {
    // Without /proc (not Linux) the id alone has to do.
    return error.code === 'ENOENT' && error.path?.startsWith('/proc') && process.platform !== 'linux';
  }
}
