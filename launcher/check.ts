import { spawn } from 'node:child_process';

/** Types, lint, folder boundaries and contracts, side by side through turbo; what fails is shown. Gives the exit code. */
export function runChecks(root: string): Promise<number> {
  const tasks = ['check:types', 'check:lint', 'check:boundaries', 'check:buf'];
  return new Promise((resolve, reject) => {
    const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', FORCE_COLOR: '0' };
    const turbo = spawn('turbo', ['run', ...tasks.map((task) => `//#${task}`), '--output-logs=new-only', '--continue'], {
      cwd: root,
      env,
      stdio: 'inherit',
    });
    turbo.on('error', reject);
    turbo.on('exit', (code) => resolve(code ?? 1));
  });
}
