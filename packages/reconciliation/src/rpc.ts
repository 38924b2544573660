import { type Clock, isPlainText, RefusalError, refuse, refuseField } from '@gerbang/core';
import {
  type ExplainDifferenceRequest,
  type ListDifferencesRequest,
  type ListReconciliationsRequest,
  ReconciliationService,
  type RunReconciliationRequest,
} from '@gerbang/proto/gerbang/reconciliation/v1/reconciliation';
import { type Implementation, implement } from '@gerbang/rpc';
import { type AuditLog, decodeCursor, encodeCursor } from '@gerbang/store';
import { dueAtMs, isDay } from './day.ts';
import type { Days } from './days.ts';
import type { DifferenceFilter, Differences } from './differences.ts';
import { toDifference, toReconciliation } from './message.ts';

type RpcContext = {
  rails: ReadonlyMap<string, unknown>;
  days: Days;
  differences: Differences;
  audit: AuditLog;
  clock: Clock;
  /** Has the timer look at once. */
  poke(): void;
};

const LIMIT_MAX = 1_000;
const NOTE_LENGTH_MAX = 1_000;

/** What operators can ask of a service's reconciliation. */
export function reconciliationRpc(context: RpcContext): Implementation {
  return implement(
    ReconciliationService,
    {
      listRails: async () => ({ rails: [...context.rails.keys()] }),
      runReconciliation: (request) => runReconciliation(context, request),
      listReconciliations: (request) => listReconciliations(context, request),
      listDifferences: (request) => listDifferences(context, request),
      explainDifference: (request) => explainDifference(context, request),
    },
    ['cli'],
  );
}

/** A day can be compared from 01:00 of the next one: before, both sides may still book what belongs to it. */
async function runReconciliation(context: RpcContext, { operator, rail, day }: RunReconciliationRequest) {
  const { rails, days, audit, clock, poke } = context;
  if (operator === '') throw new RefusalError(refuseField('operator', 'is required'));
  if (!rails.has(rail)) throw new RefusalError(refuseField('rail', 'is none of this service'));
  if (!isDay(day)) throw new RefusalError(refuseField('day', 'is no day; expected YYYY-MM-DD'));
  const nowMs = clock.now();
  if (nowMs < dueAtMs(day)) throw new RefusalError(refuseField('day', 'is not over yet'));
  const before = await days.find(rail, day);
  await audit.append(
    {
      operator,
      command: 'reconciliation.run',
      target: `${rail}:${day}`,
      before: { status: before?.status ?? null },
      after: { status: 'waiting' },
    },
    Date.now(),
  );
  const reconciliation = toReconciliation(await days.request(rail, day, operator, nowMs));
  poke();
  return { reconciliation };
}

async function listReconciliations(context: RpcContext, { rail, day, limit }: ListReconciliationsRequest) {
  checkFilter(context, { rail, day });
  const found = await context.days.list({ rail, day, limit: bounded(limit) });
  return { items: found.map(toReconciliation) };
}

async function listDifferences(context: RpcContext, { rail, day, state, limit, cursor }: ListDifferencesRequest) {
  checkFilter(context, { rail, day });
  const after = cursor === '' ? undefined : decodeCursor(cursor);
  if (cursor !== '' && after === undefined) throw new RefusalError(refuseField('cursor', 'is not a cursor of this list'));
  const size = bounded(limit);
  const found = await context.differences.list({ rail, day, state: readState(state) }, { limit: size + 1, after });
  const items = found.slice(0, size);
  const last = items.at(-1);
  return { items: items.map(toDifference), nextCursor: found.length > size && last !== undefined ? encodeCursor(last._id) : '' };
}

async function explainDifference({ differences, audit, clock }: RpcContext, { operator, id, note }: ExplainDifferenceRequest) {
  if (operator === '') throw new RefusalError(refuseField('operator', 'is required'));
  if (note === '' || note.length > NOTE_LENGTH_MAX)
    throw new RefusalError(refuseField('note', `has 1 to ${NOTE_LENGTH_MAX} characters`));
  if (!isPlainText(note)) throw new RefusalError(refuseField('note', 'must not have control characters'));
  const known = await differences.find(id);
  if (known === undefined) throw new RefusalError(refuse('transaction_not_found', { message: 'There is no such difference' }));
  await audit.append(
    {
      operator,
      command: 'reconciliation.explain',
      target: id,
      before: { state: known.state },
      after: { state: 'explained', note },
    },
    Date.now(),
  );
  const explained = await differences.explain(id, { operator, note, nowMs: clock.now() });
  if (explained === undefined)
    throw new RefusalError(refuse('transaction_not_found', { message: 'There is no such difference' }));
  return { difference: toDifference(explained) };
}

function checkFilter({ rails }: RpcContext, { rail, day }: { rail: string; day: string }): void {
  if (rail !== '' && !rails.has(rail)) throw new RefusalError(refuseField('rail', 'is none of this service'));
  if (day !== '' && !isDay(day)) throw new RefusalError(refuseField('day', 'is no day; expected YYYY-MM-DD'));
}

function readState(state: string): DifferenceFilter['state'] {
  if (state === '' || state === 'open' || state === 'explained') return state;
  throw new RefusalError(refuseField('state', 'is neither open nor explained'));
}

function bounded(limit: number): number {
  return Math.min(Math.max(limit, 1), LIMIT_MAX);
}
