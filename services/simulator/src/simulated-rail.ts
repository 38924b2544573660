import type { toMoney } from '@gerbang/core';
import type { HTTPMethods } from 'fastify';
import type { Context } from './context.ts';
import type { Rail } from './control/behaviours.ts';
import type { Handler } from './handler.ts';
import type { Between, HistoryName, Row } from './history/row.ts';

/**
 * A route of the bank has its SNAP service; one of the control API answers loopback only, unless it changes and tells nothing of
 * anyone.
 */
export type Route = { method: HTTPMethods; url: string; handler: Handler } & ({ service: string } | { anyone: boolean });

/** What a rail believes it has paid or received (contract §11). */
export type BookItem = {
  reference_number: string;
  transaction_id: string;
  direction: 'in' | 'out';
  amount: ReturnType<typeof toMoney>;
  status: string;
  /** Of a card: `merchant` where it was charged without its customer. */
  initiated_by?: string;
};

/** What a folder adds to the simulator: a rail, or what a rail does for one product. */
export type SimulatedRail = {
  routes: readonly Route[];
  /** By the rail's name in the contract. A rail of several folders has the items of all. */
  books: Partial<Record<Rail, (context: Context) => AsyncIterable<BookItem>>>;
  /**
   * What the rail tells of its books (SNAP 12, 14), by the name that reconciliation has for it: rows in any order, and the rail
   * whose behaviour that has.
   */
  histories?: Readonly<Record<HistoryName, { rail: Rail; rows(context: Context, between: Between): Promise<Row[]> }>>;
};
