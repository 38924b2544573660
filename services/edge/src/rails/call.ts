import type { RailPartner } from './partners.ts';

/** A call that has passed every check: who it is from, and its body as the schema of the service reads it. */
export type RailCall<Body> = { partner: RailPartner; body: Body };
