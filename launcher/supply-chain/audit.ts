import { z } from 'zod';
import { pnpm } from './pnpm.ts';
import { ADVISORY_EXCEPTIONS, FAILS } from './policy.ts';

const report = z.object({
  advisories: z.record(
    z.string(),
    z.object({
      module_name: z.string(),
      title: z.string(),
      severity: z.string(),
      github_advisory_id: z.string(),
      patched_versions: z.string().optional(),
      findings: z.array(z.object({ version: z.string(), dev: z.boolean() })),
    }),
  ),
});

type Audit = { faults: string[] } | { unreachable: string };

/**
 * Which advisories the registry knows of the packages in the lockfile, a line for each that fails the check on a day (YYYY-MM-DD);
 * or that the registry could not be asked. `registry` is another one than that of the settings.
 */
export async function audit(root: string, today: string, registry?: string): Promise<Audit> {
  const { stdout, stderr } = await pnpm(root, [
    'audit',
    '--json',
    '--config.fetch-retries=0',
    ...(registry === undefined ? [] : ['--registry', registry]),
  ]);
  const read = report.safeParse(parse(stdout));
  // pnpm answers by its exit code whether there are advisories; only a report tells that from a failure.
  if (!read.success) return { unreachable: stderr.replaceAll(/[\s\u2500-\u257f]+/g, ' ').trim() || 'pnpm audit gives no report' };
  const faults = Object.values(read.data.advisories).flatMap((advisory) => {
    const { module_name: name, severity, github_advisory_id: id, title, patched_versions: patched = 'none' } = advisory;
    const use = advisory.findings.every(({ dev }) => dev) ? 'development' : 'production';
    if (!FAILS[use].includes(severity)) return [];
    const exception = ADVISORY_EXCEPTIONS.find((one) => one.advisory === id);
    if (exception !== undefined && exception.until >= today) return [];
    const versions = [...new Set(advisory.findings.map(({ version }) => version))].join(', ');
    return [`${name}@${versions} (${use}): ${severity}, ${id} ${title}; mended in ${patched}`];
  });
  return { faults };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
