import { accessFromConfig, type Bus, type BusConfig, createRelay, createTimeline, openBus, type Relay } from '@gerbang/bus';
import type { Clock } from '@gerbang/core';
import { TimelineService } from '@gerbang/proto/gerbang/events/v1/events';
import type { Implementation } from '@gerbang/rpc';
import type { Store } from '@gerbang/store';
import type { Foundation } from './foundation.ts';
import { implementForOperators, type OperatorGate, VIEWERS } from './operators.ts';

/** Opens the way to JetStream, for a service that publishes or consumes events. */
export function openEventBus({ name, config, log, closing }: Foundation<BusConfig>): Bus {
  const bus = openBus({ access: accessFromConfig(config), name, log, streamReplicas: config.STREAM_REPLICAS });
  closing.push('bus', () => bus.close());
  return bus;
}

/** The relay of a service, which also tells operators what has happened to its aggregates. */
export type ServiceRelay = Pick<Relay, 'afterWrite'> & {
  /** As `Relay.serve`; operators read the timeline of these aggregates through `gate`. */
  serve(aggregateTypes: readonly string[], gate: OperatorGate): Implementation[];
};

/** Opens the way from the outbox of `store` to JetStream. `clock` dates the service's events. */
export function openRelay(foundation: Foundation<BusConfig>, store: Store, clock: Clock): { bus: Bus; relay: ServiceRelay } {
  const { name, log, registry, closing } = foundation;
  const bus = openEventBus(foundation);
  const relay = createRelay({
    bus,
    store,
    service: name,
    clock,
    metrics: registry,
    log,
  });
  closing.push('relay', () => relay.close());
  const serve = (aggregateTypes: readonly string[], gate: OperatorGate) => [
    ...relay.serve(aggregateTypes),
    implementTimeline(store, aggregateTypes, gate),
  ];
  return { bus, relay: { afterWrite: relay.afterWrite, serve } };
}

/** What has happened to the aggregates of a service, for operators. Refusals: validation (unknown aggregate type). */
function implementTimeline(store: Store, aggregateTypes: readonly string[], gate: OperatorGate): Implementation {
  const handler = createTimeline(store, aggregateTypes);
  return implementForOperators(gate, TimelineService, {
    listEvents: { roles: VIEWERS, handler: (request, { context }) => handler(request, context) },
  });
}
