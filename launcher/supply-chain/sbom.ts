import { pnpm } from './pnpm.ts';

/** A package in a bill of materials of CycloneDX. */
export type Component = {
  group?: string;
  name: string;
  version: string;
  purl: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
};

/** A bill of materials, as CycloneDX 1.6 has it. */
export type Sbom = { bomFormat: 'CycloneDX'; specVersion: '1.6'; components: Component[] };

/** The bill of materials of what is installed as the lockfile has it; of `prod`, without what only builds and tests. */
export async function billOfMaterials(root: string, { prod }: { prod: boolean }): Promise<Sbom> {
  const options = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', 'application'];
  const { code, stdout, stderr } = await pnpm(root, ['sbom', ...options, ...(prod ? ['--prod'] : [])]);
  if (code !== 0) throw new Error(`pnpm sbom failed: ${stderr}`);
  return JSON.parse(stdout);
}

/** Its name with its scope. */
export function nameOf({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`;
}
