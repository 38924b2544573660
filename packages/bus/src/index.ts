export { accessFromConfig, type BusConfig, type NatsAccess } from './access.ts';
export { type Bus, openBus } from './bus.ts';
export { consume, type Received } from './consumer.ts';
export { type NatsPermissions, type NatsUse, permissionsOf } from './permissions.ts';
export { createRelay, type Relay } from './relay.ts';
export { createTimeline } from './timeline.ts';
