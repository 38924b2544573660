export { type Bus, openBus } from './bus.ts';
export { consume, type Received } from './consumer.ts';
export { implementEventSource } from './event-source.ts';
export { createRelay, type Relay } from './relay.ts';
export { implementTimeline } from './timeline.ts';
