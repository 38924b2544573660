import type { Logger } from '@gerbang/runtime';
import type { OperatorGate } from '@gerbang/service/operators';
import type { Journal } from './journal/journal.ts';
import type { Lease } from './lease/lease.ts';
import type { Partitions } from './partition/partitions.ts';
import type { ProjectionStore } from './projector/store.ts';
import type { StatementStore } from './statement/store.ts';
import type { Verifications } from './verify/verifications.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  partitions: Partitions;
  journal: Journal;
  projections: ProjectionStore;
  statements: StatementStore;
  verifications: Verifications;
  /** Undefined until it has been taken for the first time. */
  lease: () => Lease | undefined;
  gate: OperatorGate;
  log: Logger;
  /** Whether a posting gets a line in the log: under load a few stand for all, which are in the journal anyway. */
  samplePosting: () => boolean;
};
