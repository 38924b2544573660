import { z } from 'zod';
import { startBalancer } from './balancer.ts';

const routes = z.array(z.object({ port: z.int(), targets: z.array(z.object({ host: z.ipv4(), probe: z.url() })) }));

/** The only argument: the routes, as JSON. */
const balancer = await startBalancer(routes.parse(JSON.parse(process.argv[2] ?? '')));
process.once('SIGTERM', () => {
  balancer.close();
  process.exit(0);
});
