import { type ListAuditRequest, Outcome } from '@gerbang/proto/gerbang/operator/v1/operator';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { field, parse } from '../../operator/input.ts';
import type { EntryDocument } from '../entry.ts';
import { type AuditLine, listCommands } from '../list.ts';

const LIMIT = 100;
const LIMIT_MAX = 1_000;
/** A command that has not ended by then is not under way any more. */
const RUNNING_MS = 60_000;

const OUTCOMES = {
  done: Outcome.DONE,
  refused: Outcome.REFUSED,
  failed: Outcome.FAILED,
  proposed: Outcome.PROPOSED,
  '': Outcome.UNSPECIFIED,
} as const;

const text = z.string().max(128, 'is too long');

/** Operators' commands over all services, newest first. Refusals: validation. */
export async function listAudit(context: Context, request: ListAuditRequest) {
  const { limit, beforeSeq, ...filter } = parse(
    {
      limit: z.int().min(0, 'must not be negative').max(LIMIT_MAX, `must be at most ${LIMIT_MAX}`),
      operator: text,
      service: text,
      target: text,
      fromMs: field.timeMs,
      untilMs: field.timeMs,
      beforeSeq: z.bigint(),
    },
    request,
  );
  const page = { before: beforeSeq === 0n ? undefined : beforeSeq, limit: limit === 0 ? LIMIT : limit };
  const { lines, next } = await listCommands(context.audit, filter, page);
  return { lines: lines.map((line) => toMessage(line, context.realNow())), nextBefore: next ?? 0n };
}

function toMessage(line: AuditLine, nowMs: number) {
  if ('legacy' in line) {
    const { _id: seq, at, operator, command: method, target, before, after } = line.legacy;
    const known = { service: 'merchant', outcome: Outcome.UNKNOWN, legacy: true };
    return { ...known, seq, atMs: BigInt(at.getTime()), operator, method, target, before, after };
  }
  const { begun, ended } = line;
  const { _id: seq, at, command: commandId, subject: operator, role, service, method, source, proposer } = begun;
  return {
    ...{ seq, atMs: BigInt(at.getTime()), commandId, operator, role, service, method, source, proposer },
    outcome: ended === undefined ? withoutEnd(begun, nowMs) : OUTCOMES[ended.outcome],
    refusal: ended?.refusal ?? '',
    reason: ended?.reason ?? '',
    target: ended?.target ?? '',
    before: ended?.before ?? 'null',
    after: ended?.after ?? 'null',
  };
}

function withoutEnd({ at }: EntryDocument, nowMs: number): Outcome {
  return nowMs - at.getTime() < RUNNING_MS ? Outcome.RUNNING : Outcome.UNKNOWN;
}
