import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { audit } from './supply-chain/audit.ts';
import { licenceFaults } from './supply-chain/licences.ts';
import { billOfMaterials } from './supply-chain/sbom.ts';

/**
 * `npm run check:supply-chain [-- --require-audit]`: the licences of every dependency, advisories of the registry, and a bill of
 * materials of what services run on, as an artefact. A registry that cannot be asked for advisories is said, and fails the check only
 * with --require-audit.
 */
const root = path.dirname(import.meta.dirname);
const artefact = path.join(process.env.GERBANG_DATA ?? '.gerbang', 'artefacts', 'sbom.cdx.json');
const { values } = parseArgs({ options: { 'require-audit': { type: 'boolean', default: false } } });
const today = new Date().toISOString().slice(0, 10);

const [all, production, advisories] = await Promise.all([
  billOfMaterials(root, { prod: false }),
  billOfMaterials(root, { prod: true }),
  audit(root, today),
]);
const file = path.resolve(root, artefact);
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(production, undefined, 2)}\n`);
say(`bill of materials: ${production.components.length} packages in ${artefact}`);

const licences = licenceFaults(all.components, today);
say(`licences: ${all.components.length} packages, ${licences.length} faults`, licences);
if ('faults' in advisories) say(`advisories: ${advisories.faults.length} faults`, advisories.faults);
else say(`advisories: NOT CHECKED, the registry could not be asked: ${advisories.unreachable}`);

const unaudited = 'unreachable' in advisories && values['require-audit'];
const faults = [...licences, ...('faults' in advisories ? advisories.faults : [])];
process.exitCode = faults.length > 0 || unaudited ? 1 : 0;

function say(line: string, details: readonly string[] = []): void {
  process.stdout.write(`${[line, ...details.map((detail) => `  ${detail}`)].join('\n')}\n`);
}
