import type { Clock } from '@gerbang/core';
import type { Foundation } from '@gerbang/service';
import type { Store } from '@gerbang/store';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { followFailingEndpoints } from '../failing-endpoint/follow-failing-endpoints.ts';
import { openFailingEndpointStore } from '../failing-endpoint/store.ts';
import type { Claims } from './claims.ts';
import { createEndpointQueues } from './endpoint-queues.ts';
import { createLeases } from './leases.ts';
import { type PullerOptions, startPuller } from './puller.ts';
import { createRecorder } from './recorder.ts';
import type { RetryPolicy } from './schedule.ts';
import { createWaker } from './waker.ts';

type Delivering = Pick<Context, 'ending' | 'leases' | 'queues' | 'recorder' | 'waker' | 'failingEndpoints' | 'puller'>;

/**
 * Opens what finds due deliveries, claims them and sends them, endpoint by endpoint. `dispatch` is not called before the caller
 * goes on.
 */
export async function openDelivering(
  { config, log, closing }: Foundation<Config>,
  options: { store: Store; claims: Claims; clock: Clock; retryPolicy: RetryPolicy; dispatch: PullerOptions['dispatch'] },
): Promise<Delivering> {
  const { store, claims, clock, retryPolicy, dispatch } = options;
  const leases = createLeases(claims.renew, log);
  closing.push('leases', () => leases.close());
  const recorder = createRecorder(claims, leases.owner, retryPolicy);
  const waker = createWaker(
    (ended) => claims.wake(ended, clock.now()),
    (endpoint) => puller.check(endpoint),
    log,
  );
  const bounds = { perEndpoint: config.WEBHOOK_ENDPOINT_CONCURRENCY, overall: config.WEBHOOK_CONCURRENCY };
  const queues = createEndpointQueues(bounds, (endpoint) => {
    if (puller.isBehind(endpoint)) puller.check(endpoint);
  });
  const failingEndpoints = await followFailingEndpoints({
    store: await openFailingEndpointStore(store),
    clock,
    log,
    hasPending: async (endpoint) => (await claims.backlogOf(endpoint)).count > 0,
    onKnown: (endpoint) => queues.suspect(endpoint, 1),
  });
  closing.push('failing endpoints', () => failingEndpoints.close());
  closing.push('endpoint queues', () => queues.close());
  const ending = new AbortController();
  // The puller has ended by then: what is given back is for other replicas.
  closing.push('attempts', () => ending.abort());
  const puller = startPuller({ claims, leases, queues, clock, log, dispatch });
  closing.push('puller', () => puller.close());
  return { ending: ending.signal, leases, queues, recorder, waker, failingEndpoints, puller };
}
