import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Own, touchedFiles } from './touched.ts';

/**
 * Lists the files that a product or a service has touched outside its own folders, from a git diff:
 *
 *     node launcher/list-touched.ts <base> --product disbursement [--max 10]
 *     node launcher/list-touched.ts <base> --service biller [--max 6]
 *
 * `base` is what the work began from, a commit or a branch; the working tree is compared with it. What belongs to a product or a
 * service by its path, and what is not counted at all, is in touched.ts. With --max, more files than that are exit code 1.
 */
const USAGE = 'node launcher/list-touched.ts <base> (--product <name> | --service <name>)… [--max <count>]';

const root = path.dirname(import.meta.dirname);
const { values, positionals } = parseArgs({
  options: {
    product: { type: 'string', multiple: true, default: [] },
    service: { type: 'string', multiple: true, default: [] },
    max: { type: 'string' },
  },
  allowPositionals: true,
});
const [base] = positionals;
const own: Own = { products: values.product, services: values.service };
if (base === undefined || own.products.length + own.services.length === 0) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
const touched = touchedFiles([...new Set(changed)], own);
for (const file of touched) process.stdout.write(`${file}\n`);
process.stdout.write(`${touched.length} files outside their own folders\n`);
if (values.max !== undefined && touched.length > Number(values.max)) process.exitCode = 1;
