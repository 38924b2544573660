export { type Bus, openBus } from './bus.ts';
export { consume, type Received } from './consumer.ts';
export { createRelay, type Relay } from './relay.ts';
