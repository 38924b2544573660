import { z } from 'zod';
import { perContext } from '../per-context.ts';
import { type Authorisations, openAuthorisations } from './authorisations.ts';
import { TRANS_STATUS } from './three-ds/messages.ts';

/** What the ACS does with every card instead of what the card says, and how it misbehaves. */
export const seedSchema = z.strictObject({
  trans_status: z.enum(TRANS_STATUS).optional(),
  /** Before the answer to an AReq, real time. */
  delay_ms: z.number().int().min(0).max(60_000).default(0),
  /** The result message names another transaction of the ACS, as a forged one does. */
  tampered: z.boolean().default(false),
});
export type Seed = z.output<typeof seedSchema>;

/** The acquirer of cards. The seed is not kept over a restart. */
export type CardAcquirer = { authorisations: Authorisations; seed: { current: Seed } };

export const cardAcquirerOf = perContext(
  async ({ store }): Promise<CardAcquirer> => ({
    authorisations: await openAuthorisations(store),
    seed: { current: seedSchema.parse({}) },
  }),
);
