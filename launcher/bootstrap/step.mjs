import { spawn } from 'node:child_process';
import process from 'node:process';

const LINE_EVERY_MS = 5_000;
const DRAW_EVERY_MS = 200;
const KEPT_LINES = 200;

/** Something in the way that the reader can remove; its message says how, and no stack is shown. */
export class SetupError extends Error {}

/**
 * Shows one step with its progress and time on standard error: redrawn in place on a terminal, else a line at the start, every
 * few seconds and at the end. `work` is given `note(text)`, which says where it is.
 */
export async function step(title, work) {
  const startMs = Date.now();
  const terminal = process.stderr.isTTY === true;
  let detail = '';
  const seconds = () => `${((Date.now() - startMs) / 1000).toFixed(1)} s`;
  const draw = () => {
    const line = `  … ${title}  ${seconds()}${detail === '' ? '' : `  ${detail}`}`;
    if (terminal) process.stderr.write(`\r\x1b[2K${line.slice(0, (process.stderr.columns ?? 100) - 1)}`);
    else process.stderr.write(`${line}\n`);
  };
  draw();
  const timer = setInterval(draw, terminal ? DRAW_EVERY_MS : LINE_EVERY_MS);
  const end = (mark) => {
    clearInterval(timer);
    process.stderr.write(`${terminal ? '\r\x1b[2K' : ''}  ${mark} ${title}  ${seconds()}\n`);
  };
  try {
    const result = await work((text) => {
      detail = text;
    });
    end('✓');
    return result;
  } catch (error) {
    end('✗');
    throw error;
  }
}

/**
 * Runs a command to its end and resolves to its exit code and its last lines of output, both streams together. It rejects only
 * where the command can't be started. `onLine` sees every line as it comes.
 */
export function run(command, args, { env = process.env, cwd, onLine } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const lines = [];
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      const take = (line) => {
        if (line.trim() === '') return;
        lines.push(line.trimEnd());
        if (lines.length > KEPT_LINES) lines.shift();
        onLine?.(line.trim());
      };
      stream.setEncoding('utf8').on('data', (chunk) => {
        const parts = (rest + chunk).split(/[\r\n]+/);
        rest = parts.pop() ?? '';
        parts.forEach(take);
      });
      stream.on('end', () => take(rest));
    }
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? 1, signal, lines }));
  });
}

/** Whether the output of npm, pnpm or apt says that the network was not there. */
function isNetworkTrouble(lines) {
  return /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|dns error|Could not resolve|Temporary failure|Could not connect|error sending request|Network is unreachable|timed out/i.test(
    lines.join('\n'),
  );
}

/** The message for a step that failed: what, why, what to do about it, and the last lines of what was tried. */
export function failure(what, lines, remedies) {
  const tail = lines.slice(-8).map((line) => `    ${line}`);
  return new SetupError(
    [`${what}: ${reason(lines)}.`, 'What to do:', ...remedies.map((r) => `  - ${r}`), 'Last lines:', ...tail].join('\n'),
  );
}

function reason(lines) {
  if (/CERT_|SELF_SIGNED|certificate/i.test(lines.join('\n'))) {
    return 'the other side has a certificate that is not trusted here (a proxy in between? name its certificate: NODE_EXTRA_CA_CERTS, SSL_CERT_FILE)';
  }
  return isNetworkTrouble(lines) ? 'the network (or its proxy) does not answer' : 'the command failed';
}
