import type { AdjustableClock } from '@gerbang/core';
import type { Logger } from '@gerbang/runtime';
import type { BankBooks } from './bank-transfer/books.ts';
import type { TokenIssuer } from './bank-transfer/tokens.ts';
import type { ClockFollowers } from './clock/followers.ts';
import type { OffsetStore } from './clock/offset-store.ts';
import type { RailBehaviours } from './control/behaviours.ts';

/** The simulator's dependencies as one plain object. */
export type Context = {
  clock: AdjustableClock;
  offsets: OffsetStore;
  followers: ClockFollowers;
  books: BankBooks;
  behaviours: RailBehaviours;
  tokens: TokenIssuer;
  clientSecret: string;
  log: Logger;
};
