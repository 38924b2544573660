import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { CHART, INSTALLATIONS } from './chart.ts';
import { readmeCommands } from './readme.ts';
import { KUBERNETES, SCHEMA_LOCATION, writeSchemas } from './schemas.ts';
import { findTool, obtainTools, TOOLS } from './tools.ts';

/**
 * `npm run check:deploy [-- --values FILE]…`: everything in deploy/ that can be checked without a cluster. With --values only the
 * chart, with these files over its own values. Obtains the tools; what cannot be had is named, and its checks are skipped.
 */
const root = path.resolve(import.meta.dirname, '../../..');
const calledFrom = process.env.INIT_CWD ?? process.cwd();
const { values: options } = parseArgs({ options: { values: { type: 'string', multiple: true } } });
const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-deploy-'));
const run = promisify(execFile);
const helmHome = Object.fromEntries(['CACHE', 'CONFIG', 'DATA'].map((kind) => [`HELM_${kind}_HOME`, path.join(folder, 'helm')]));
const env = {
  ...process.env,
  ...helmHome,
  GERBANG_CHECK_DEPLOY: '1',
  PATH: `${path.join(TOOLS, 'bin')}${path.delimiter}${process.env.PATH}`,
  GERBANG_TOOLS: path.dirname(TOOLS),
};

const CONFORM = ['-strict', '-summary', '-kubernetes-version', KUBERNETES, '-schema-location', SCHEMA_LOCATION];

type Check = { name: string; tool: string; work: () => Promise<void> };

const say = (line: string) => process.stdout.write(`${line}\n`);
const missing = await obtainTools(say);
if (!missing.has('hadolint') && findTool('go') !== undefined) {
  await writeSchemas().catch((error: unknown) =>
    missing.set('kubeconform', `the schemas could not be obtained: ${String(error)}`),
  );
} else missing.set('kubeconform', 'the schemas need python3 and go');

const installations: Readonly<Record<string, readonly string[]>> =
  options.values === undefined ? INSTALLATIONS : { values: options.values.map((file) => path.resolve(calledFrom, file)) };
const chart = Object.entries(installations).flatMap(([name, files]) => checksOfChart(name, files));
process.exitCode = (await carryOut(options.values === undefined ? [...chart, ...otherChecks()] : chart)) ? 0 : 1;
rmSync(folder, { recursive: true });

/** Runs all checks, one after the other; says of each how it went. */
async function carryOut(checks: readonly Check[]): Promise<boolean> {
  let passed = true;
  for (const { name, tool, work } of checks) {
    const reason = findTool(tool) === undefined ? (missing.get(tool) ?? `${tool} is not on PATH`) : missing.get(tool);
    if (reason !== undefined) {
      say(`${name}: SKIPPED, ${tool} is missing: ${reason}`);
      continue;
    }
    const failure = await work().then(
      () => undefined,
      (error: unknown) => outputOf(error),
    );
    say(failure === undefined ? `${name}: passed` : `${name}: FAILED\n${failure}`);
    passed &&= failure === undefined;
  }
  return passed;
}

function checksOfChart(name: string, files: readonly string[]): Check[] {
  const over = files.flatMap((file) => ['-f', file]);
  const rendered = path.join(folder, `${name}.yaml`);
  // Limits of processor time would stop a service for the rest of each tenth of a second in which it was busy.
  const score = ['score', '--output-format', 'ci', '--ignore-container-cpu-limit', '--kubernetes-version', 'v1.30'];
  const laptop = name === 'laptop' ? ['--ignore-test', 'container-image-pull-policy'] : [];
  return [
    { name: `helm lint, ${name}`, tool: 'helm', work: () => tool('helm', ['lint', '--strict', CHART, ...over], CHART) },
    {
      name: `helm template, ${name}`,
      tool: 'helm',
      work: async () => {
        const { stdout } = await run('helm', ['template', 'gerbang', CHART, '-n', 'gerbang', ...over], {
          cwd: CHART,
          env,
          maxBuffer: 10_000_000,
        });
        writeFileSync(rendered, stdout);
      },
    },
    {
      name: `kubeconform, ${name}`,
      tool: 'kubeconform',
      work: () => tool('kubeconform', [...CONFORM, rendered]),
    },
    {
      name: `kube-score, ${name}`,
      tool: 'kube-score',
      work: async () => {
        const { stdout } = await run('kube-score', [...score, ...laptop, rendered], { env, maxBuffer: 10_000_000 }).catch(
          withOutput,
        );
        const critical = stdout.split('\n').filter((line) => line.includes('[CRITICAL]'));
        if (!stdout.includes('[OK]')) throw new Error(`kube-score has looked at nothing: ${stdout.slice(0, 500)}`);
        if (critical.length > 0) throw new Error(critical.join('\n'));
      },
    },
  ];
}

function otherChecks(): Check[] {
  const rules = path.join(root, 'deploy/observability/rules');
  const compose = path.join(root, 'deploy/compose/compose.yaml');
  const vitest = ['vitest', 'run', '--project', 'parts', 'tools/deploy/'];
  return [
    {
      name: 'promtool, rules',
      tool: 'promtool',
      work: () => tool('sh', ['-c', 'promtool check rules $(ls *.yaml | grep -v test)'], rules),
    },
    {
      name: 'promtool, tests of rules',
      tool: 'promtool',
      work: () => tool('sh', ['-c', 'promtool test rules *.test.yaml'], rules),
    },
    {
      name: 'promtool, configuration',
      tool: 'promtool',
      work: () => tool('promtool', ['check', 'config', '--syntax-only', 'prometheus.yaml'], path.dirname(compose)),
    },
    {
      name: "kubeconform, the sandbox's MongoDB",
      tool: 'kubeconform',
      work: () => tool('kubeconform', [...CONFORM, path.join(CHART, 'values/mongodb-laptop.yaml')]),
    },
    { name: 'hadolint', tool: 'hadolint', work: () => tool('hadolint', ['--failure-threshold', 'warning', 'deploy/Dockerfile']) },
    {
      name: "compose's parser",
      tool: 'check-compose',
      work: async () => {
        // The files of variables that it names must be there.
        await tool(process.execPath, [path.join(import.meta.dirname, 'sandbox-secrets.ts'), '--compose']);
        await tool('check-compose', [compose]);
      },
    },
    {
      name: 'tests of what helm renders',
      tool: 'helm',
      work: () => tool(process.execPath, [path.join(root, 'node_modules/vitest/vitest.mjs'), ...vitest.slice(1)]),
    },
    { name: 'commands of deploy/README.md', tool: 'helm', work: runReadme },
  ];
}

/** The commands that need no cluster, one after the other as a reader gives them. */
async function runReadme(): Promise<void> {
  const commands = readmeCommands(readFileSync(path.join(root, 'deploy/README.md'), 'utf8'));
  const script = ['set -eu', `export OUT=${folder}/mine`, 'mkdir -p "$OUT"', ...commands].join('\n');
  await tool('bash', ['-c', script]);
}

async function tool(name: string, args: readonly string[], cwd = root): Promise<void> {
  await run(name, [...args], { cwd, env, maxBuffer: 10_000_000 });
}

/** kube-score's exit code counts what is no critical fault too: the output is looked at. */
function withOutput(error: unknown): { stdout: string } {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string') return { stdout: error.stdout };
  throw error;
}

function outputOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = [textOf(error, 'stdout'), textOf(error, 'stderr')].join('');
  return said === '' ? error.message : said;
}

/** What a program that failed has written. */
function textOf(error: Error, stream: 'stdout' | 'stderr'): string {
  const text: unknown = Object(error)[stream];
  return typeof text === 'string' ? text : '';
}
