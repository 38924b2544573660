export {
  type AfterWrite,
  type AggregateDocument,
  type Aggregates,
  type Change,
  type NewEvent,
  openAggregates,
  type StoredEvent,
} from './aggregates.ts';
export { combine } from './combine.ts';
export { type ConditionalUpdate, combineUpdates } from './combine-updates.ts';
export { connectStore, type Store } from './connection.ts';
export { type Creation, type Creator, createOnce } from './create-once.ts';
export { decodeCursor, encodeCursor } from './cursor.ts';
export { isDatabaseAway } from './database-away.ts';
export { dateRange } from './date-range.ts';
export { type Due, type DueTimer, startDueTimer } from './due.ts';
export { isDuplicateKey, isDuplicateKeysOnly } from './duplicate-key.ts';
export { changeFields, type FieldChange, readPageById, type Walked } from './fields.ts';
export { type IdempotencyClaim, type IdempotencyKeys, openIdempotencyKeys } from './idempotency.ts';
export { combineInserts, insertMissing } from './insert-missing.ts';
export { findPage, type Page, readPage } from './page.ts';
export { type ConflictingWrite, retryConflicts } from './retry-conflicts.ts';
export { traced } from './traced.ts';
export type { Upcaster } from './upcast.ts';
export { type ConditionalUpsert, upsertEach } from './upsert-each.ts';
