import { startBareInsert } from './floors/durable-insert.ts';
import { peakOf, startBareFastify } from './floors/fastify.ts';
import { startBarePublish } from './floors/jetstream-publish.ts';
import { openBarePost } from './floors/undici-post.ts';
import type { Benchmark } from './harness/benchmark.ts';

const MEASURED_MS = 3_000;
const CONNECTIONS = 64;

/** What this machine does at best, without us: the denominators of every ratio. */
export const floors: Benchmark = {
  name: 'floors',
  about: 'bare fastify, durable insert, acknowledged JetStream publish and undici POST, and what the load generator itself costs',
  needs: 'nats-server; a minute',
  rounds: 3,
  bars: [
    { name: 'undici POST to bare fastify POST', figure: 'undici POST.perSecond', over: 'bare fastify POST.perSecond' },
    { name: 'load generator, µs a request', figure: 'bare fastify GET.generatorMicros' },
  ],
  async prepare(resources) {
    const fastify = await startBareFastify(resources);
    const insert = await startBareInsert(resources);
    const publish = await startBarePublish(resources);
    const post = openBarePost(resources, fastify.port);
    const load = { connections: CONNECTIONS, durationMs: MEASURED_MS };
    const calls = { callers: CONNECTIONS, durationMs: MEASURED_MS };
    return {
      floors: {
        'bare fastify GET': peakOf(fastify.target('GET'), load),
        'bare fastify POST': peakOf(fastify.target('POST'), load),
        'undici POST': post(calls),
        'durable insert': insert(calls),
        'JetStream publish': publish(calls),
      },
      subjects: {},
    };
  },
};
