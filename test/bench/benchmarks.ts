import { card } from './card.ts';
import { disbursement } from './disbursement.ts';
import { edge } from './edge.ts';
import { embeddedMongo } from './embedded-mongo.ts';
import { eventsBacklog } from './events-backlog.ts';
import { expiry, expiryEwallet, expiryQris } from './expiry.ts';
import { floors } from './floors.ts';
import type { Benchmark } from './harness/benchmark.ts';
import { ledger, ledgerCsv, ledgerPosting, ledgerTakeover } from './ledger-benchmarks.ts';
import { plans } from './plans.ts';
import { settlement } from './settlement.ts';
import { startup } from './startup.ts';
import { webhooks } from './webhooks.ts';
import { webhooksIsolation } from './webhooks-isolation.ts';

/** Everything that `npm run bench` knows. */
export const benchmarks: readonly Benchmark[] = [
  floors,
  startup,
  expiry,
  expiryQris,
  expiryEwallet,
  settlement,
  eventsBacklog,
  webhooks,
  webhooksIsolation,
  edge,
  disbursement,
  embeddedMongo,
  ledger,
  ledgerPosting,
  ledgerTakeover,
  ledgerCsv,
  plans,
  card,
];
