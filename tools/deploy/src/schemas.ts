import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { loadAll } from 'js-yaml';
import { z } from 'zod';
import { TOOLS, wheelFolder } from './tools.ts';

/** The version of Kubernetes whose schemas manifests are checked against. */
export const KUBERNETES = '1.37.0';
const FOLDER = path.join(TOOLS, 'schemas');
/** What kubeconform looks for a resource's schema by. */
export const SCHEMA_LOCATION = path.join(FOLDER, '{{.ResourceKind}}{{.KindSuffix}}.json');
const run = promisify(execFile);

/** Resources that are no part of Kubernetes, by the module whose release has their definitions, and where. */
const DEFINITIONS = [
  { module: 'github.com/cert-manager/cert-manager@v1.21.2', files: 'deploy/crds/cert-manager.io_{certificates,issuers}.yaml' },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: 'example/prometheus-operator-crd/monitoring.coreos.com_{servicemonitors,prometheusrules}.yaml',
  },
  {
    module: 'github.com/external-secrets/external-secrets@v1.3.2',
    files: 'config/crds/bases/external-secrets.io_externalsecrets.yaml',
  },
];

const definition = z.object({
  spec: z.object({
    group: z.string(),
    names: z.object({ kind: z.string() }),
    versions: z.array(z.object({ name: z.string(), schema: z.object({ openAPIV3Schema: z.unknown() }) })),
  }),
});

/** Writes the schemas as kubeconform reads them, once. Throws where what they are made of cannot be had. */
export async function writeSchemas(): Promise<void> {
  const mark = path.join(FOLDER, `.2 ${[KUBERNETES, ...DEFINITIONS.map(({ module }) => module)].join(' ').replaceAll('/', '_')}`);
  if (existsSync(mark)) return;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeKubernetes();
  for (const { module, files } of DEFINITIONS) await writeDefinitions(module, files);
  writeFileSync(mark, '');
}

/** The package names a place on a server as each schema's own and in its references; here all files are in one folder. */
function writeKubernetes(): void {
  const from = path.join(
    wheelFolder('kubernetes_validate'),
    `kubernetes_validate/kubernetes-json-schema/v${KUBERNETES}-local-strict`,
  );
  for (const file of globSync('*.json', { cwd: from })) {
    const text = readFileSync(path.join(from, file), 'utf8').replaceAll('"/api/_definitions.json', '"_definitions.json');
    const { $id: _, ...schema } = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    writeFileSync(path.join(FOLDER, file), JSON.stringify(schema));
  }
}

async function writeDefinitions(module: string, files: string): Promise<void> {
  const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: TOOLS, maxBuffer: 1_000_000 });
  const { Dir: folder } = z.object({ Dir: z.string() }).parse(JSON.parse(stdout));
  for (const file of globSync(files, { cwd: folder })) {
    for (const document of loadAll(readFileSync(path.join(folder, file), 'utf8'))) {
      const { group, names, versions } = definition.parse(document).spec;
      for (const { name, schema } of versions) {
        const target = `${names.kind}-${group.split('.')[0]}-${name}.json`.toLowerCase();
        writeFileSync(path.join(FOLDER, target), JSON.stringify(strict(schema.openAPIV3Schema)));
      }
    }
  }
}

/** A schema that takes no other fields than it names, as an API server with strict validation does. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept: Record<string, unknown> = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  const closes = 'properties' in kept && !('additionalProperties' in kept) && !('x-kubernetes-preserve-unknown-fields' in kept);
  return { ...kept, ...(closes && { additionalProperties: false }) };
}
