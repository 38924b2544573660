import path from 'node:path';
import { findPackageCycles, findViolations, readManifests, readSources } from './boundaries.ts';

const root = path.dirname(import.meta.dirname);
const sources = readSources(root);
const violations = [...findViolations(sources), ...findPackageCycles(readManifests(root))];
for (const { file, imported, reason } of violations) process.stderr.write(`${file}: imports ${imported}: ${reason}\n`);
process.stdout.write(`${sources.size} files, ${violations.length} forbidden imports\n`);
process.exitCode = violations.length === 0 ? 0 : 1;
