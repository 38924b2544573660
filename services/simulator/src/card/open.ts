import { perContext } from '../per-context.ts';
import { type Authorisations, openAuthorisations } from './authorisations.ts';
import type { Seed } from './three-ds/seed.ts';

/** The acquirer of cards. The seed of every card is not kept over a restart. */
export type CardAcquirer = { authorisations: Authorisations; seed: { current: Seed } };

export const cardAcquirerOf = perContext(
  async ({ store }): Promise<CardAcquirer> => ({
    authorisations: await openAuthorisations(store),
    seed: { current: {} },
  }),
);
