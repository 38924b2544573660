import { spawn } from 'node:child_process';
import path from 'node:path';
import { onParentGone } from './parent.ts';
import { countingOptions } from './test-counts.ts';

const root = path.dirname(import.meta.dirname);
const [command = '', ...rest] = process.argv.slice(2);
const args = rest.filter((argument) => argument !== '--');

/** turbo must neither call home nor look for a cache elsewhere. */
const TURBO_ENV = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' };
const CHECKS = ['check:types', 'check:lint', 'check:boundaries', 'check:buf'];

switch (command) {
  case 'start': {
    const { start } = await import('./start.ts');
    await start(args);
    break;
  }
  case 'test':
    process.exitCode = await timed('npm test', () => run('vitest', ['run', ...countingOptions('test', 'default'), ...args]));
    break;
  case 'check':
    process.exitCode = await timed('npm run check', () =>
      run('turbo', ['run', ...CHECKS.map((task) => `//#${task}`), '--continue', '--output-logs=errors-only'], TURBO_ENV),
    );
    break;
  case 'check:api':
    process.exitCode = await timed('npm run check:api', () =>
      run(process.execPath, [path.join(root, 'test/api/check-api.ts'), ...args]),
    );
    break;
  case 'check:breaking':
    process.exitCode = await timed('npm run check:breaking', () =>
      run(process.execPath, [path.join(root, 'test/api/check-breaking.ts'), ...args]),
    );
    break;
  case 'check:supply-chain':
    process.exitCode = await timed('npm run check:supply-chain', () =>
      run(process.execPath, [path.join(root, 'launcher/check-supply-chain.ts'), ...args]),
    );
    break;
  case 'check:deploy':
    process.exitCode = await timed('npm run check:deploy', () =>
      run(process.execPath, [path.join(root, 'tools/deploy/src/check-deploy.ts'), ...args]),
    );
    break;
  case 'image':
    process.exitCode = await run(process.execPath, [path.join(root, 'tools/deploy/src/image/build.ts'), ...args]);
    break;
  case 'check:clients':
    process.exitCode = await timed('npm run check:clients', () =>
      run('vitest', [
        ...['run', '--config', path.join(root, 'test/clients/vitest.config.ts')],
        ...countingOptions('check-clients', 'verbose'),
        ...args,
      ]),
    );
    break;
  case 'chaos':
    process.exitCode = await timed('npm run chaos', () => run('vitest', chaosArguments(args), { GERBANG_CHAOS: 'long' }));
    break;
  case 'bench':
    process.exitCode = await run(process.execPath, [path.join(root, 'test/bench/main.ts'), ...args]);
    break;
  case 'generate':
    process.exitCode = await generate({ examples: args.includes('--examples') });
    break;
  case 'gerbang':
    process.exitCode = await run(process.execPath, [path.join(root, 'launcher/cli/main.ts'), ...args], {}, calledFrom());
    break;
  default:
    process.stderr.write(
      `gerbang: there is no command ${command}; npm start, npm test, npm run check, check:{api,breaking,clients,deploy,supply-chain}, image, chaos, bench, generate, gerbang\n`,
    );
    process.exitCode = 1;
}

/**
 * Writes the generated files: the code of the protocols, the API's document, and its types for tests. With --examples it also
 * starts a sandbox and records the document's examples.
 */
async function generate({ examples }: { examples: boolean }): Promise<number> {
  const write = 'services/edge/src/openapi/write.ts';
  // The recorder finds operations in the document, and the document shows what was recorded: so it is written twice.
  const scripts = [...(examples ? [write, 'test/api-examples/record.ts'] : []), write, 'tools/api-types/generate.ts'];
  let code = await run('buf', ['generate']);
  for (const script of scripts) code ||= await run(process.execPath, [path.join(root, script)]);
  return code;
}

/** The files that are named, else all chaos tests, one at a time: each kills what it has started and loads the machine. */
function chaosArguments(files: readonly string[]): string[] {
  return ['run', '--project', 'system', '--no-file-parallelism', ...(files.length === 0 ? ['test/chaos/'] : files)];
}

/** Runs a command of the project with this terminal; gives its exit code. */
function run(file: string, parameters: string[], env: Record<string, string> = {}, cwd = root): Promise<number> {
  return new Promise((resolve, reject) => {
    // Before the environment is copied: the pipe to the parent is this process's own.
    onParentGone(() => child.kill('SIGTERM'));
    const child = spawn(file, parameters, { cwd, env: { ...env, ...process.env }, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** Ends with one line that says how it went. */
async function timed(name: string, work: () => Promise<number>): Promise<number> {
  const startMs = performance.now();
  const code = await work();
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  process.stdout.write(`${name}: ${code === 0 ? 'passed' : `FAILED (exit code ${code})`} after ${seconds} s\n`);
  return code;
}

/** The folder that file names on the command line are meant from; npm itself goes to that of package.json. */
function calledFrom(): string {
  return process.env.INIT_CWD ?? root;
}
