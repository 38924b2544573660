export { eventually } from './eventually.ts';
export { type CommandFailure, failCommand, type Held, lockFailPoints } from './fail-point.ts';
export { startTestMongo, type TestMongo } from './mongo.ts';
export { withAppName } from './mongo-address.ts';
export { freePort, startTestNats, type TestNats } from './nats.ts';
export { testLog } from './quiet-log.ts';
