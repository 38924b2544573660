import { isUlid, RefusalError, refuseFields } from '@gerbang/core';
import type { RedeliverManyRequest } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { Change, OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { toStatus } from '../../delivery/message.ts';
import type { RunFilter } from '../redelivery-run.ts';

const LIMIT_MAX = 1_000;

/**
 * Sends a part of an operator's run again. The audit log has the filter of each part; the log of each delivery names the run.
 * Refusals: validation.
 */
export async function redeliverMany(context: Context, request: RedeliverManyRequest, call: OperatorCall) {
  const { run, limit, dryRun, after } = request;
  const operator = call.operator.id;
  const errors = problemsOf(request);
  if (Object.keys(errors).length > 0) throw new RefusalError(refuseFields(errors));
  const filter = toFilter(request);
  const part = await context.redeliveryRuns.find(filter, run, after === '' ? undefined : after, Math.min(limit, LIMIT_MAX));
  call.record(changeOf(request, filter, part.ids.length));
  if (!dryRun && part.ids.length > 0) {
    await context.redeliveryRuns.request(part.ids, operator, run, context.clock.now());
    for (const endpoint of part.endpoints) context.puller.check(endpoint);
    context.log.info({ run, operator, deliveries: part.ids.length }, 'redeliveries requested');
  }
  return { matched: part.ids.length, after: part.after ?? '' };
}

function problemsOf({ run, id, fromMs, toMs, limit, after }: RedeliverManyRequest): Record<string, string[]> {
  return {
    ...(!isUlid(run) && { run: ['must be a ULID'] }),
    ...(id !== '' && !isUlid(id) && { id: ['must be the id of an event'] }),
    ...(id === '' && fromMs < 0n && { from: ['must not be before 1970'] }),
    ...(id === '' && toMs < fromMs && { to: ['must not be before from'] }),
    ...(limit < 1 && { limit: ['must be at least 1'] }),
    ...(after !== '' && !isUlid(after) && { after: ['must be the id of an event'] }),
  };
}

function toFilter({ fromMs, toMs, event, merchantId, id, status }: RedeliverManyRequest): RunFilter {
  const given = (text: string) => (text === '' ? undefined : text);
  return {
    fromMs: Number(fromMs),
    toMs: Number(toMs),
    event: given(event),
    merchantId: given(merchantId),
    id: given(id),
    status: toStatus(status),
  };
}

function changeOf({ run, dryRun }: RedeliverManyRequest, filter: RunFilter, deliveries: number): Change {
  const { id, fromMs, toMs, event, merchantId, status } = filter;
  const after = {
    ...(id === undefined ? { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() } : { id }),
    event: event ?? null,
    merchant_id: merchantId ?? null,
    status: status ?? null,
    deliveries,
    dry_run: dryRun,
  };
  return { target: `run:${run}`, after };
}
