import { benchDisbursement } from './disbursement.ts';
import { benchStartup } from './startup.ts';

/** Each benchmark starts what it needs, measures, prints, and gives its figures back. */
const benches: Record<string, () => Promise<object>> = {
  startup: benchStartup,
  disbursement: benchDisbursement,
};

const [name = ''] = process.argv.slice(2).filter((argument) => argument !== '--');
const bench = benches[name];
if (bench === undefined) {
  process.stderr.write(`usage: npm run bench -- <${Object.keys(benches).join('|')}>\n`);
  process.exit(1);
}
process.stdout.write(`${JSON.stringify(await bench(), undefined, 2)}\n`);
process.exit(0);
