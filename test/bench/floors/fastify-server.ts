import fastify from 'fastify';
import { serveBenchmark } from '../harness/server-process.ts';

/** A bare fastify route, which reads what it is sent as JSON and answers a constant. */
const answer = () => ({ response_code: 'SP000', response_message: 'Success', data: {} });
const app = fastify();
app.get('/floor', async () => answer());
app.post('/floor', async () => answer());
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
serveBenchmark();
