import fastify from 'fastify';

/** The floor: a bare fastify route in a process of its own, which parses a JSON body and answers a constant. */
const app = fastify();
app.post('/floor', async () => ({ response_code: 'SP000', response_message: 'Success', data: {} }));
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
process.stdout.write('ready\n');
