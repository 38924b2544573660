import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DescMessage, DescMethod, DescMethodUnary, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { canonicalJson, type Json, RefusalError, refuse } from '@gerbang/core';
import {
  type BeginRequestSchema,
  type BeginResponseSchema,
  type CheckOperatorRequestSchema,
  type FinishRequestSchema,
  OperatorGateService,
  Outcome,
  Role,
} from '@gerbang/proto/gerbang/operator/v1/operator';
import type { CallContext, Implementation } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import type { Foundation } from './foundation.ts';
import { type CallerConfig, openChannel } from './rpc.ts';

/** What each role may: all that is below it too. Methods name one of these. */
export const ADMINS: readonly Role[] = [Role.ADMIN];
export const FINANCE: readonly Role[] = [Role.FINANCE, ...ADMINS];
export const SUPPORT: readonly Role[] = [Role.SUPPORT, ...FINANCE];
export const VIEWERS: readonly Role[] = [Role.VIEWER, ...SUPPORT];

/** How often the end of a command is told to the audit log, and how long after the first failure the next attempt comes. */
const FINISH_ATTEMPTS = 3;
const FINISH_FIRST_MS = 100;

/** A proposal that a service has stored ends after this time, as those that the gate stores do. */
const PROPOSAL_MS = 24 * 60 * 60_000;

/** What a service stores of who has proposed what a second operator decides with the same command. */
export type StoredProposal = { operator: string; proposedAtMs: number };

/** The person who gives a command. People are told apart by `id`; `name` is for reading. */
export type Operator = { id: string; name: string; role: Role };

/** What was changed, for the audit log; without secrets. */
export type Change = { target: string; before?: Json; after?: Json };

/** What a command's handler knows of the call in addition to its request. */
export type OperatorCall = {
  operator: Operator;
  /** Who has proposed the command, where this operator has approved it. */
  proposer: string | undefined;
  /** Says what the command changes; the last one counts. Called before the effect, so that failed commands are logged with it. */
  record(change: Change): void;
  /**
   * Whether this operator may approve a proposal that the service has stored: it is another operator's, who may still give this
   * command, and is less than a day old. `nowMs` is of the clock that it was stored by.
   */
  mayApprove(proposal: StoredProposal, nowMs: number): Promise<boolean>;
  context: CallContext;
};

/** A command: the roles that may give it, and when a second operator has to give it too. */
export type Command<Request, Answer> = {
  roles: readonly Role[];
  /** Whether a second operator has to approve this request. It may be asked for requests that are not valid. */
  approval?: (request: Request) => boolean | Promise<boolean>;
  handler: (request: Request, call: OperatorCall) => Promise<Answer>;
};

/** One command for each method of the service. */
export type Commands<S extends DescService> = {
  [M in keyof S['method'] & string]: Command<MessageShape<S['method'][M]['input']>, MessageInitShape<S['method'][M]['output']>>;
};

/** The way to who knows the operators. `service` is the one that acts. */
export type OperatorGate = {
  service: string;
  log: Logger;
  begin(request: MessageInitShape<typeof BeginRequestSchema>): Promise<MessageShape<typeof BeginResponseSchema>>;
  finish(request: MessageInitShape<typeof FinishRequestSchema>): Promise<unknown>;
  checkOperator(request: MessageInitShape<typeof CheckOperatorRequestSchema>): Promise<{ allowed: boolean }>;
};

/** Opens the gate of a service that asks the merchant service. */
export function openOperatorGate(foundation: Foundation<CallerConfig & { MERCHANT_RPC: string }>): OperatorGate {
  const { name, config, log } = foundation;
  const channel = openChannel(foundation, 'operator gate', config.MERCHANT_RPC);
  const { begin, finish, checkOperator } = channel.client(OperatorGateService);
  return { service: name, log, begin, finish, checkOperator };
}

type UntypedCommand = Command<never, unknown>;

/**
 * One operators' command of a service that other services call too, as a handler for `implement`; list only `cli` as its caller.
 * Otherwise as `implementForOperators`.
 */
export function forOperators<I extends DescMessage, O extends DescMessage>(
  gate: OperatorGate,
  method: DescMethodUnary<I, O>,
  command: Command<MessageShape<I>, MessageInitShape<O>>,
): (request: MessageShape<I>, context: CallContext) => Promise<MessageInitShape<O>> {
  return (request, context) => carryOut(gate, method, command, request, context);
}

/**
 * Binds operators' commands to a service. Each call must carry an operator's token. Whose it is, whether that operator may give
 * the command, and whether a second one must approve it is asked at the gate, which writes the command to the audit log before
 * the handler runs, and its end after it. Refusals, besides the handler's: unauthorized, forbidden, approval_needed, approval_used.
 */
export function implementForOperators<S extends DescService>(gate: OperatorGate, desc: S, commands: Commands<S>): Implementation {
  const byName: Record<string, UntypedCommand> = commands;
  const handlers: Implementation['handlers'] = {};
  for (const method of desc.methods) {
    const command = byName[method.localName];
    if (command === undefined) throw new Error(`${desc.typeName} has no command for ${method.name}`);
    handlers[method.localName] = (request, context) => carryOut(gate, method, command, request, context);
  }
  return { desc, handlers, callers: () => ['cli'] };
}

async function carryOut<Request, Answer>(
  gate: OperatorGate,
  method: DescMethod,
  command: Command<Request, Answer>,
  request: Request,
  context: CallContext,
): Promise<Answer> {
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const needsApproval = !isRead && ((await command.approval?.(request)) ?? false);
  const begun = await gate.begin({
    token: tokenOf(context),
    service: gate.service,
    method: `/${method.parent.typeName}/${method.name}`,
    requestHash: createHash('sha256').update(context.request).digest(),
    ...(needsApproval && { request: context.request }),
    roles: [...command.roles],
    needsApproval,
    readOnly: isRead,
    source: context.caller === undefined ? context.peer : `${context.peer} ${context.caller}`,
  });
  const call = callOf(gate, command.roles, begun, context);
  if (needsApproval && (call.proposer === undefined || call.proposer === call.operator.id)) {
    throw new Error(`${method.name} was begun without a second operator`);
  }
  if (isRead) return command.handler(request, call);
  return untilItsEnd(gate, begun.commandId, () => command.handler(request, call), call);
}

/** The token of "Bearer …"; empty where there is none, which the gate refuses and logs. */
function tokenOf({ authorization }: CallContext): string {
  return /^Bearer ([\w.-]+)$/.exec(authorization)?.[1] ?? '';
}

type Call = OperatorCall & { change: Change };

function callOf(
  gate: OperatorGate,
  roles: readonly Role[],
  { operator, proposer }: MessageShape<typeof BeginResponseSchema>,
  context: CallContext,
): Call {
  if (operator === undefined || operator.id === '') throw new Error('the gate has not said who the operator is');
  const { id, name, role } = operator;
  const call: Call = {
    operator: { id, name, role },
    proposer: proposer === '' ? undefined : proposer,
    change: { target: '' },
    record(change) {
      call.change = change;
    },
    async mayApprove(proposal, nowMs) {
      if (proposal.operator === id || nowMs - proposal.proposedAtMs >= PROPOSAL_MS) return false;
      return (await gate.checkOperator({ id: proposal.operator, roles: [...roles] })).allowed;
    },
    context,
  };
  return call;
}

async function untilItsEnd<Answer>(
  gate: OperatorGate,
  commandId: string,
  run: () => Promise<Answer>,
  call: Call,
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await run();
  } catch (error) {
    await finish(gate, commandId, outcomeOf(error), call.change);
    throw error;
  }
  await finish(gate, commandId, { outcome: Outcome.DONE, refusal: '' }, call.change);
  return answer;
}

type End = { outcome: Outcome; refusal: string };

/** A refusal says that nothing was done, but for those that say that something did not answer. */
function outcomeOf(error: unknown): End {
  if (!(error instanceof RefusalError)) return { outcome: Outcome.FAILED, refusal: 'internal' };
  const { refused } = error.refusal;
  const isOpen = refused === 'unavailable' || refused === 'timeout' || refused === 'internal';
  return { outcome: isOpen ? Outcome.FAILED : Outcome.REFUSED, refusal: refused };
}

/** The command has ended whether or not this can be told: the log then shows that its outcome is unknown. */
async function finish(gate: OperatorGate, commandId: string, end: End, { target, before, after }: Change): Promise<void> {
  const told = { commandId, ...end, target, before: canonicalJson(before ?? null), after: canonicalJson(after ?? null) };
  for (let attempt = 1, waitMs = FINISH_FIRST_MS; ; attempt++, waitMs *= 2) {
    try {
      await gate.finish(told);
      return;
    } catch (error) {
      if (attempt === FINISH_ATTEMPTS) {
        const facts = { err: error, command_id: commandId, outcome: Outcome[end.outcome], target };
        gate.log.error(facts, 'alert: the audit log could not be told how a command has ended');
        return;
      }
    }
    await sleep(waitMs);
  }
}

/** For a service's own refusals of what an operator may not do although the role allows it. */
export function forbidden(message: string): RefusalError {
  return new RefusalError(refuse('forbidden', { message }));
}
