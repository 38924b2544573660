import type { Batch } from '../posting/posting.ts';

/** A batch with the balances after it of (at least) the accounts it touched. */
export type Projection = { batch: Batch; after: ReadonlyMap<string, bigint> };
