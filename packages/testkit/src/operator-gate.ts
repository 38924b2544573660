import { createPublicKey, verify } from 'node:crypto';
import { type RefusalCode, RefusalError, refuse } from '@gerbang/core';
import {
  type BeginRequest,
  type CheckOperatorRequest,
  type FinishRequest,
  type Operator,
  Outcome,
  Role,
} from '@gerbang/proto/gerbang/operator/v1/operator';

/** Who may give commands in a test. `publicKey`: as `publicKeyOf` gives it; it is also who the operator is. */
export type TestOperator = { id: string; role: Role; publicKey: string };

/** A command as the gate has logged it. `outcome` is undefined until its end is told. */
export type GatedCommand = {
  id: string;
  operator: string;
  proposer: string;
  method: string;
  outcome: Outcome | undefined;
  refusal: string;
  target: string;
  /** JSON. */
  before: string;
  after: string;
};

type Begun = { commandId: string; operator: Pick<Operator, 'id' | 'name' | 'role'>; proposer: string };

/**
 * The merchant service's gate in a few lines, for the tests of other services: tokens, roles, approvals and an audit log, all in
 * memory. Its own rules (times, replays, expiry) are tested there. `handlers` are those of OperatorGateService.
 */
export function createOperatorGate(operators: readonly TestOperator[]) {
  const commands: GatedCommand[] = [];
  const proposals = new Map<string, string>();

  const log = (request: BeginRequest, over: Partial<GatedCommand>): GatedCommand => {
    const method = request.method.slice(request.method.lastIndexOf('/') + 1);
    const empty = { operator: '', proposer: '', refusal: '', target: '', before: '', after: '', outcome: undefined };
    const command = { ...empty, id: `c${commands.length}`, method, ...over };
    commands.push(command);
    return command;
  };
  const refused = (request: BeginRequest, code: RefusalCode, over: Partial<GatedCommand> = {}) => {
    log(request, { outcome: Outcome.REFUSED, refusal: code, ...over });
    return new RefusalError(refuse(code));
  };
  /** The proposer, where this operator approves. The first one only proposes. */
  const approve = (request: BeginRequest, operator: TestOperator): string => {
    const key = `${request.method} ${Buffer.from(request.request).toString('base64')}`;
    const proposer = proposals.get(key);
    if (proposer === undefined || proposer === operator.id) {
      proposals.set(key, operator.id);
      throw refused(request, 'approval_needed', { operator: operator.id, outcome: Outcome.PROPOSED });
    }
    proposals.delete(key);
    return proposer;
  };

  return {
    /** Refused commands, proposals and those that have begun, the oldest first. */
    commands,
    handlers: {
      async begin(request: BeginRequest): Promise<Begun> {
        const found = operators.find((one) => isSignedBy(one, request));
        if (found === undefined) throw refused(request, 'unauthorized');
        const { id, role } = found;
        if (!request.roles.includes(role)) throw refused(request, 'forbidden', { operator: id });
        const operator = { id, name: id, role };
        if (request.readOnly) return { commandId: '', operator, proposer: '' };
        const proposer = request.needsApproval ? approve(request, found) : '';
        return { commandId: log(request, { operator: id, proposer }).id, operator, proposer };
      },
      async finish({ commandId, outcome, refusal, target, before, after }: FinishRequest): Promise<object> {
        const command = commands.find(({ id }) => id === commandId);
        if (command === undefined) throw new Error(`there is no command ${commandId}`);
        Object.assign(command, { outcome, refusal, target, before, after });
        return {};
      },
      async checkOperator({ id, roles }: CheckOperatorRequest): Promise<{ allowed: boolean }> {
        return { allowed: operators.some((one) => one.id === id && roles.includes(one.role)) };
      },
    },
  };
}

/** Whether the token is this operator's, for this call. */
function isSignedBy({ id, publicKey }: TestOperator, { token, service, method, requestHash }: BeginRequest): boolean {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  if (!verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))) return false;
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const expected = { sub: id, aud: service, method, request: Buffer.from(requestHash).toString('base64url') };
  return hasAll(claims, expected);
}

function hasAll(claims: unknown, expected: Record<string, string>): boolean {
  if (typeof claims !== 'object' || claims === null) return false;
  const given = new Map<string, unknown>(Object.entries(claims));
  return Object.entries(expected).every(([name, value]) => given.get(name) === value);
}

/** What a command says that it changes. */
export type RecordedChange = { target: string; before?: unknown; after?: unknown };

/**
 * What a handler of an operator's command is called with where a test calls it without the gate: `operator` gives it, and what it
 * records goes to `changes`.
 */
export function operatorCall(operator: string, changes: RecordedChange[] = []) {
  return {
    operator: { id: operator, name: operator, role: Role.ADMIN },
    proposer: undefined,
    record(change: RecordedChange) {
      changes.push(change);
    },
    /** All who propose in such a test may still do so, for a day. */
    async mayApprove(proposal: { operator: string; proposedAtMs: number }, nowMs: number) {
      return proposal.operator !== operator && nowMs - proposal.proposedAtMs < 24 * 60 * 60_000;
    },
    context: {
      aborted: false,
      onAbort() {},
      signal: new AbortController().signal,
      caller: undefined,
      peer: '127.0.0.1:1',
      authorization: '',
      request: new Uint8Array(),
    },
  };
}
