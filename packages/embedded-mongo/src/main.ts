import { parseArgs } from 'node:util';
import { EmbeddedMongo } from './server.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    port: { type: 'string', default: '27017' },
    host: { type: 'string' },
    'shuffle-unsorted': { type: 'boolean' },
  },
});

function log(level: string, msg: string, more: Record<string, unknown> = {}): void {
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), service: 'embedded-mongo', msg, ...more })}\n`);
}

try {
  const { data, host } = values;
  const server = await EmbeddedMongo.start({
    port: Number(values.port),
    shuffleUnsorted: values['shuffle-unsorted'] ?? false,
    ...(data !== undefined && { dataDir: data }),
    ...(host !== undefined && { host }),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.stop().then(() => process.exit(0)));
  log('info', 'ready', { port: server.port, uri: server.uri });
} catch (error) {
  log('fatal', error instanceof Error ? error.message : String(error));
  process.exit(1);
}
