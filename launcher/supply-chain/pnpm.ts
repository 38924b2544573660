import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs the pnpm of the PATH in the repository. */
export async function pnpm(root: string, args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn('pnpm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code ?? 1));
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
