import { accessFromConfig, type Bus, type BusConfig, createRelay, openBus, type Relay } from '@gerbang/bus';
import type { Clock } from '@gerbang/core';
import type { Store } from '@gerbang/store';
import type { Foundation } from './foundation.ts';

/** What a service that publishes events is configured by: `busShape` and STREAM_REPLICAS. */
export type EventsConfig = BusConfig & { STREAM_REPLICAS: number };

/** Opens the way to JetStream, for a service that publishes or consumes events. */
export function openEventBus({ name, config, log, closing }: Foundation<BusConfig>): Bus {
  const bus = openBus({ access: accessFromConfig(config), name, log });
  closing.push('bus', () => bus.close());
  return bus;
}

/** Opens the way from the outbox of `store` to JetStream. `clock` dates the service's events. */
export function openRelay(foundation: Foundation<EventsConfig>, store: Store, clock: Clock): { bus: Bus; relay: Relay } {
  const { name, config, log, registry, closing } = foundation;
  const bus = openEventBus(foundation);
  const relay = createRelay({
    bus,
    store,
    service: name,
    clock,
    streamReplicas: config.STREAM_REPLICAS,
    metrics: registry,
    log,
  });
  closing.push('relay', () => relay.close());
  return { bus, relay };
}
