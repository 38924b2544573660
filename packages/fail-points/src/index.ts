export { type CommandFailure, failCommand, type Held, lockFailPoints } from './fail-point.ts';
export { appNameOf, withAppName } from './mongo-address.ts';
