import { execFileSync } from 'node:child_process';
import { loadAll } from 'js-yaml';
import { z } from 'zod';
import { CHART } from './chart.ts';

const names = z.record(z.string(), z.string());
const peer = z.object({ podSelector: z.object({ matchLabels: names }).optional() });
const port = z.object({ port: z.number() });
const manifest = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['Deployment', 'StatefulSet']), metadata: z.object({ name: z.string() }), spec: z.unknown() }),
  z.object({ kind: z.literal('NetworkPolicy'), metadata: z.object({ name: z.string() }), spec: z.unknown() }),
  z.object({ kind: z.literal('Certificate'), metadata: z.object({ name: z.string() }), spec: z.unknown() }),
]);
const workload = z.object({
  template: z.object({
    spec: z.object({
      containers: z.array(
        z.object({
          env: z.array(
            z.object({
              name: z.string(),
              value: z.string().optional(),
              valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }).optional() }).optional(),
            }),
          ),
        }),
      ),
    }),
  }),
});
const policy = z.object({
  podSelector: z.object({ matchLabels: names }),
  ingress: z.array(z.object({ from: z.array(peer), ports: z.array(port) })).default([]),
  egress: z.array(z.object({ to: z.array(peer), ports: z.array(port) })).default([]),
});
const certificate = z.object({ uris: z.array(z.string()).default([]), dnsNames: z.array(z.string()).default([]) });

/** A variable of a container: its value, or the key of the Secret that has it. */
export type Variable = { name: string; value: string | undefined; secret: { name: string; key: string } | undefined };

/** What tests look at of an installation, as Helm renders it. */
export type Rendered = {
  /** The variables of each service. */
  workloads: ReadonlyMap<string, readonly Variable[]>;
  /** From and to which services' ports pods may speak: `caller → called:port`, as callers' and as called services' policies say. */
  egress: string[];
  ingress: string[];
  certificates: ReadonlyMap<string, z.output<typeof certificate>>;
};

/** Renders the chart with these values files, in the namespace `gerbang`. Throws with what helm says. */
export function render(helm: string, files: readonly string[], settings: readonly string[] = []): string {
  const over = [...files.flatMap((file) => ['-f', file]), ...settings.flatMap((setting) => ['--set', setting])];
  return execFileSync(helm, ['template', 'gerbang', '.', '-n', 'gerbang', ...over], {
    cwd: CHART,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** Reads what `render` gives. */
export function readManifests(text: string): Rendered {
  const known = loadAll(text).flatMap((document) => {
    const parsed = manifest.safeParse(document);
    return parsed.success ? [parsed.data] : [];
  });
  const policies = known.flatMap(({ kind, spec }) => (kind === 'NetworkPolicy' ? [policy.parse(spec)] : []));
  return {
    workloads: new Map(
      known.flatMap(({ kind, metadata: { name }, spec }) =>
        kind === 'Deployment' || kind === 'StatefulSet' ? [[name, variablesOf(spec)] as const] : [],
      ),
    ),
    egress: policies
      .flatMap((found) =>
        found.egress.flatMap(({ to, ports }) => arrows([found.podSelector.matchLabels], to.map(labelsOf), ports)),
      )
      .sort(),
    ingress: policies
      .flatMap((found) =>
        found.ingress.flatMap(({ from, ports }) => arrows(from.map(labelsOf), [found.podSelector.matchLabels], ports)),
      )
      .sort(),
    certificates: new Map(
      known.flatMap(({ kind, metadata: { name }, spec }) =>
        kind === 'Certificate' ? [[name, certificate.parse(spec)] as const] : [],
      ),
    ),
  };
}

type Labels = Record<string, string> | undefined;

function labelsOf({ podSelector }: z.output<typeof peer>): Labels {
  return podSelector?.matchLabels;
}

/** Arrows between our own pods; what else is a peer (the ingress, the database) is no service. */
function arrows(from: readonly Labels[], to: readonly Labels[], ports: readonly { port: number }[]): string[] {
  const name = (labels: Labels) =>
    labels?.['gerbang.io/role'] === 'operator'
      ? 'cli'
      : labels?.['app.kubernetes.io/instance'] === 'gerbang'
        ? labels['app.kubernetes.io/name']
        : undefined;
  return from.flatMap((one) =>
    to.flatMap((other) =>
      name(one) === undefined || name(other) === undefined
        ? []
        : ports.map(({ port: number }) => `${name(one)} → ${name(other)}:${number}`),
    ),
  );
}

function variablesOf(spec: unknown): Variable[] {
  const [container] = workload.parse(spec).template.spec.containers;
  return (container?.env ?? []).map(({ name, value, valueFrom }) => ({ name, value, secret: valueFrom?.secretKeyRef }));
}
