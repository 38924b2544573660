import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type System, startSystem } from '../../launcher/system.ts';
import { judge, readReport } from './report.ts';
import { type KnownValues, prepareWorld } from './world.ts';

/** What a run of all operations has to send at least, or it shows too little. */
const CASES_MIN = 2_000;
const TIMEOUT_MS = 15 * 60_000;
const SEED_MAX = 2 ** 31;
/** The run sends more than one merchant may; limits are tested elsewhere. */
const NO_LIMIT = '1000000000';
const UNLIMITED = {
  RATE_LIMIT_PER_MINUTE: NO_LIMIT,
  RATE_LIMIT_RETAIL_PER_MINUTE: NO_LIMIT,
  RATE_LIMIT_TOKEN_PER_MINUTE: NO_LIMIT,
  TOKEN_FAILURES_PER_MINUTE: NO_LIMIT,
};
const HOOKS = path.join(import.meta.dirname, 'schemathesis');
const ROOT = path.join(import.meta.dirname, '..', '..');

const { values } = parseArgs({
  options: {
    /** From the bootstrap: a Python with schemathesis. */
    python: { type: 'string' },
    seed: { type: 'string' },
    operation: { type: 'string', multiple: true, default: [] },
    document: { type: 'string' },
  },
});
const seed = values.seed ?? String(randomInt(SEED_MAX));
if (!/^\d{1,10}$/.test(seed)) throw new Error(`--seed ${seed} is not a number`);

if (values.python === undefined) {
  process.stdout.write('check:api: SKIPPED: Python 3.10 or newer with venv is not on PATH (Debian, Ubuntu: python3-venv)\n');
} else {
  process.exitCode = await checkApi(values.python);
}

/** Starts a sandbox of its own and has schemathesis test it; gives the exit code. */
async function checkApi(python: string): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  const results = path.join(process.env.GERBANG_DATA ?? path.join(ROOT, '.gerbang'), 'check-api');
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  process.stdout.write(`check:api: seed ${seed}\n`);
  const system = await startSystem({ name: 'check-api', env: UNLIMITED });
  try {
    const known = await prepareWorld(system);
    stop.signal.throwIfAborted();
    const code = await runSchemathesis(python, { system, known, results, signal: stop.signal });
    if (code === undefined) return 1;
    const casesMin = values.operation.length > 0 ? 1 : CASES_MIN;
    const { passed, text } = judge(code, readReport(path.join(results, 'report.json')), casesMin);
    process.stdout.write(`check:api: ${text}; npm run check:api -- --seed ${seed} sends the same requests again\n`);
    return passed ? 0 : 1;
  } finally {
    await system.stop();
  }
}

/** Runs schemathesis with this terminal; gives its exit code, undefined where it was cut off. */
function runSchemathesis(
  python: string,
  { system, known, results, signal }: { system: System; known: KnownValues; results: string; signal: AbortSignal },
): Promise<number | undefined> {
  const demoFile = path.join(results, 'demo.json');
  writeFileSync(demoFile, JSON.stringify({ ...system.demo, known }), { mode: 0o600 });
  const { base_url: url } = system.demo;
  const document = values.document === undefined ? `${url}/openapi.json` : path.resolve(ROOT, values.document);
  const report = ['--report-json-path', 'report.json', '--report-ndjson-path', 'events.ndjson'];
  const operations = values.operation.flatMap((operation) => ['--include-operation-id', operation]);
  const config = ['--config-file', path.join(HOOKS, 'schemathesis.toml')];
  const args = [...config, 'run', document, '--url', url, '--seed', seed, ...report, ...operations];
  const env = {
    ...process.env,
    DEMO_FILE: demoFile,
    PYTHONPATH: HOOKS,
    PYTHONDONTWRITEBYTECODE: '1',
    SCHEMATHESIS_HOOKS: 'hooks',
  };
  return new Promise((resolve, reject) => {
    const child = spawn(python, ['-m', 'schemathesis.cli', ...args], {
      cwd: results,
      env,
      stdio: 'inherit',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    child.on('error', (error) => (error.name === 'AbortError' ? resolve(undefined) : reject(error)));
    child.on('exit', (code) => resolve(code ?? undefined));
  });
}
