import path from 'node:path';
import { findViolations, readSources } from './boundaries.ts';

const sources = readSources(path.dirname(import.meta.dirname));
const violations = findViolations(sources);
for (const { file, imported, reason } of violations) process.stderr.write(`${file}: imports ${imported}: ${reason}\n`);
process.stdout.write(`${sources.size} files, ${violations.length} forbidden imports\n`);
process.exitCode = violations.length === 0 ? 0 : 1;
