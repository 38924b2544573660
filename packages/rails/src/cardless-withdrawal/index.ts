export type { CardlessName, CardlessRail, CardlessRequest, CardlessState } from './rail.ts';
export { openSnapCardless } from './snap.ts';
