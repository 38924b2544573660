import { EmbeddedMongo } from '../../src/index.ts';

/** A server as a process whose way of syncing the test decides; `main.ts` has no such switch. */
const [dataDir = '', mode = ''] = process.argv.slice(2);
const synchronous = (['full', 'normal', 'off'] as const).find((known) => known === mode);
if (synchronous === undefined) throw new Error(`unknown synchronous mode ${mode}`);
const server = await EmbeddedMongo.start({ dataDir, synchronous });
process.stdout.write(`${JSON.stringify({ uri: server.uri })}\n`);
