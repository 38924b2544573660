import { spawn } from 'node:child_process';
import path from 'node:path';
import { runChecks } from './check.ts';
import { start } from './start.ts';

const root = path.dirname(import.meta.dirname);
const [command = '', ...rest] = process.argv.slice(2);
const args = rest.filter((argument) => argument !== '--');

switch (command) {
  case 'start':
    await start(args);
    break;
  case 'test':
    process.exitCode = await run('vitest', ['run', ...args]);
    break;
  case 'check':
    process.exitCode = await runChecks(root);
    break;
  case 'bench':
    process.exitCode = await run(process.execPath, [path.join(root, 'test/bench/main.ts'), ...args]);
    break;
  case 'gerbang':
    process.exitCode = await run(process.execPath, [path.join(root, 'launcher/cli/main.ts'), ...args]);
    break;
  default:
    process.stderr.write(
      `gerbang: there is no command ${command}; npm start, npm test, npm run check, npm run bench, npm run gerbang\n`,
    );
    process.exitCode = 1;
}

/** Runs a command of the project with this terminal; gives its exit code. */
function run(file: string, parameters: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, parameters, { cwd: root, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
