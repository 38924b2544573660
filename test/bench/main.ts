import { benchDisbursement } from './disbursement.ts';
import { benchEmbeddedMongo } from './embedded-mongo.ts';
import { benchLedger } from './ledger.ts';
import { benchCsv } from './ledger-csv.ts';
import { benchTakeover } from './ledger-takeover.ts';
import { benchStartup } from './startup.ts';

/** Each benchmark starts what it needs, measures, prints, and gives its figures back. */
const benches: Record<string, () => Promise<object>> = {
  startup: benchStartup,
  disbursement: benchDisbursement,
  'embedded-mongo': benchEmbeddedMongo,
  ledger: benchLedger,
  'ledger-takeover': benchTakeover,
  'ledger-csv': benchCsv,
};

const args = process.argv.slice(2).filter((argument) => argument !== '--');
const [name = ''] = args.filter((argument) => argument !== '--check');
const bench = benches[name];
if (bench === undefined) {
  process.stderr.write(`usage: npm run bench -- <${Object.keys(benches).join('|')}> [--check]\n`);
  process.exit(1);
}
const figures = await bench();
process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
const failed = 'failed' in figures && Array.isArray(figures.failed) ? figures.failed : [];
process.exit(args.includes('--check') && failed.length > 0 ? 1 : 0);
