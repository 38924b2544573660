import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../../..');
/** The chart's folder. */
export const CHART = path.join(root, 'deploy/helm/gerbang');

/** How the chart is installed, by name: the values files that go over its own, in order. */
export const INSTALLATIONS: Readonly<Record<string, readonly string[]>> = {
  laptop: ['values/laptop.yaml'],
  small: ['values/production.yaml', 'values/small.yaml'],
  production: ['values/production.yaml'],
};

const row = z.object({
  sandboxOnly: z.boolean().default(false),
  rpcPort: z.number().optional(),
  adminPort: z.number(),
  listens: z.record(z.string(), z.number()).default({}),
  hasInstances: z.boolean().default(false),
  calls: z.array(z.string()).default([]),
  confirms: z.boolean().default(false),
  operators: z.boolean().default(false),
  database: z.boolean().default(false),
  events: z.enum(['publish', 'consume', 'hear']).optional(),
  keys: z.boolean().default(false),
  rails: z.array(z.string()).default([]),
  optionalRails: z.array(z.string()).default([]),
  outside: z.array(z.string()).default([]),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  secrets: z.array(z.string()).default([]),
  railPartners: z.boolean().default(false),
  replicas: z.number().optional(),
  cpu: z.union([z.string(), z.number()]).optional(),
  memoryMib: z.number().optional(),
});
const values = z.object({
  environment: z.enum(['sandbox', 'production']),
  drain: z.object({ preStopSeconds: z.number(), drainSeconds: z.number() }),
  defaults: z.object({ replicas: z.number(), cpu: z.union([z.string(), z.number()]), memoryMib: z.number() }),
  rails: z.record(z.string(), z.object({ secrets: z.array(z.string()).default(['CLIENT_SECRET', 'PRIVATE_KEY']) })).default({}),
  keys: z.object({ store: z.string() }),
  services: z.record(z.string(), row),
});

/** A row of the chart's table of services. */
export type ChartRow = z.output<typeof row>;
export type ChartValues = z.output<typeof values>;

/** The chart's values with files over them, as Helm merges them: maps by their keys, all else as a whole. */
export function readValues(files: readonly string[] = []): ChartValues {
  const texts = ['values.yaml', ...files].map((file) => readFileSync(path.resolve(CHART, file), 'utf8'));
  return values.parse(texts.map((text) => load(text)).reduce(merged));
}

/** Whose gRPC each service calls: what its row lists, and all that publish events where it confirms them. */
export function arrowsOf({ services }: ChartValues): string[] {
  const publishers = Object.entries(services).flatMap(([name, { events }]) => (events === 'publish' ? [name] : []));
  return Object.entries(services)
    .flatMap(([caller, { calls, confirms }]) =>
      [...new Set([...calls, ...(confirms ? publishers : [])])].map((called) => `${caller} → ${called}`),
    )
    .sort();
}

/** The secret variables of each service, which its Secret `gerbang-<service>` has. */
export function secretVariables({ environment, services, rails, keys }: ChartValues): Map<string, string[]> {
  const rows = Object.entries(services).filter(([, { sandboxOnly }]) => !sandboxOnly || environment === 'sandbox');
  const names = rows.map(([name, row]) => {
    const ofRails = [...row.rails, ...row.optionalRails].flatMap((rail) =>
      (rails[rail]?.secrets ?? []).map((setting) => `RAIL_${rail}_${setting}`),
    );
    const needed = [
      ...(row.database ? ['MONGODB_URI'] : []),
      ...(row.events === undefined ? [] : ['NATS_PASSWORD']),
      ...(row.keys && keys.store.startsWith('env:') ? ['GERBANG_KEKS'] : []),
    ];
    return [name, [...needed, ...ofRails, ...row.secrets].sort()] as const;
  });
  return new Map(names.filter(([, variables]) => variables.length > 0));
}

/** What all replicas of an installation request together. */
export function requestsOf({ environment, defaults, services }: ChartValues): { milliCpu: number; memoryMib: number } {
  const rows = Object.values(services).filter(({ sandboxOnly }) => !sandboxOnly || environment === 'sandbox');
  const sum = (each: (row: ChartRow) => number) =>
    rows.reduce((total, row) => total + (row.replicas ?? defaults.replicas) * each(row), 0);
  return {
    milliCpu: sum((row) => milliCpuOf(row.cpu ?? defaults.cpu)),
    memoryMib: sum((row) => row.memoryMib ?? defaults.memoryMib),
  };
}

function milliCpuOf(cpu: string | number): number {
  const text = String(cpu);
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1_000;
}

function merged(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...keys].map((key) => [key, key in over ? merged(base[key], over[key]) : base[key]]));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
