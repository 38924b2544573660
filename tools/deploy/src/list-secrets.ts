import path from 'node:path';
import { parseArgs } from 'node:util';
import { readValues, secretVariables } from './chart.ts';

/** `node list-secrets.ts FILE…`: the secret variables of each service of an installation with these values files. */
const { positionals } = parseArgs({ allowPositionals: true });
for (const [service, names] of secretVariables(readValues(positionals.map((file) => path.resolve(file)))))
  process.stdout.write(`${service}: ${names.join(', ')}\n`);
