import {
  type DescMethod,
  type DescService,
  fromBinary,
  type JsonValue,
  type Message,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { ChargebackOperatorService } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { CardOperatorService } from '@gerbang/proto/gerbang/cards/v1/operators';
import { SupportService } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { ReversalService, SuspenseService } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { type Approval, ApprovalState, OperatorAdminService } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { Command } from 'commander';
import type { RpcServiceName } from '../../services.ts';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, type Session, withSession } from '../session.ts';
import { toIso } from '../values.ts';

/** Services with commands that a second operator may have to approve, and who serves them. */
const APPROVED: readonly (readonly [RpcServiceName, DescService])[] = [
  ['merchant', OperatorService],
  ['merchant', OperatorAdminService],
  ['money-in', ReversalService],
  ['money-in', SuspenseService],
  ['direct-debit', SupportService],
  ['cards', CardOperatorService],
  ['cards', ChargebackOperatorService],
];

/** approvals list | show | approve | reject */
export function approvalCommands(program: Command): void {
  const approvals = program.command('approvals').description('commands that wait for a second operator');
  approvals
    .command('list')
    .description('list those that wait, and those that are being carried out')
    .action((_, command: Command) => list(command.optsWithGlobals()));
  approvals
    .command('show')
    .description('show a command with its request')
    .argument('<id>', 'of the approval')
    .action((id: string, _, command: Command) => show(command.optsWithGlobals(), id));
  approvals
    .command('approve')
    .description('show the request that another operator has proposed, and give the same command: it is carried out now')
    .argument('<id>', 'of the approval')
    .action((id: string, _, command: Command) => approve(command.optsWithGlobals(), id));
  approvals
    .command('reject')
    .description('end a proposal; nothing is carried out')
    .argument('<id>', 'of the approval')
    .action((id: string, _, command: Command) => reject(command.optsWithGlobals(), id));
}

function list(options: GlobalOptions): Promise<void> {
  return withSession(options, async (session) => {
    const { approvals } = await (await session.adminService()).listApprovals({});
    const lines = approvals.length === 0 ? ['no command waits for a second operator'] : approvals.map(toLine);
    session.show(approvals.map(describe), lines);
  });
}

function show(options: GlobalOptions, id: string): Promise<void> {
  return withSession(options, async (session) => {
    const approval = await find(session, id);
    session.show(describe(approval), [toLine(approval), JSON.stringify(requestOf(approval), undefined, 2)]);
  });
}

function approve(options: GlobalOptions, id: string): Promise<void> {
  return withSession(options, async (session) => {
    const approval = await find(session, id);
    // Given again, the command of an approval that is over would be a new proposal.
    if (approval.state !== ApprovalState.OPEN)
      throw new CommandFailure(`this approval is ${stateOf(approval)}; nothing was done`);
    const { service, desc, method } = mustKnow(approval);
    const request = fromBinary(method.input, approval.request);
    if (!isSame(toBinary(method.input, request), approval.request)) {
      throw new CommandFailure('the request was proposed by another program, in other bytes; give the command itself');
    }
    if (!options.json) process.stdout.write(`${toLine(approval)}\n${JSON.stringify(requestOf(approval), undefined, 2)}\n`);
    const client = await session.signedClient<DescService>(service, desc);
    const call = client[method.localName];
    if (call === undefined) throw new Error(`${desc.typeName} has no ${method.name}`);
    const answer = toJsonOf(method.output, await call(request));
    session.show({ approval: describe(approval), answer }, ['approved, and carried out:', JSON.stringify(answer, undefined, 2)]);
  });
}

function reject(options: GlobalOptions, id: string): Promise<void> {
  return withSession(options, async (session) => {
    await (await session.adminService()).rejectApproval({ id });
    session.show({ id, state: 'rejected' }, [`${id} is rejected`]);
  });
}

async function find(session: Session, id: string): Promise<Approval> {
  const { approval } = await (await session.adminService()).getApproval({ id });
  if (approval === undefined) throw new Error('the answer has no approval');
  return approval;
}

type Known = { service: RpcServiceName; desc: DescService; method: DescMethod };

function findMethod({ method: path }: Approval): Known | undefined {
  for (const [service, desc] of APPROVED) {
    const method = desc.methods.find(({ name }) => path === `/${desc.typeName}/${name}`);
    if (method !== undefined) return { service, desc, method };
  }
  return undefined;
}

function mustKnow(approval: Approval): Known {
  const known = findMethod(approval);
  if (known === undefined) throw new CommandFailure(`this version does not know the command ${approval.method}`);
  return known;
}

function requestOf(approval: Approval): JsonValue {
  const known = findMethod(approval);
  return known === undefined ? null : toJsonOf(known.method.input, fromBinary(known.method.input, approval.request));
}

function toJsonOf(desc: DescMethod['input'], message: Message): JsonValue {
  return toJson(desc, message, { useProtoFieldName: true });
}

function describe(approval: Approval) {
  return {
    id: approval.id,
    state: stateOf(approval),
    service: approval.service,
    method: approval.method,
    request: requestOf(approval),
    proposer: approval.proposer,
    proposed_at: toIso(approval.proposedAtMs),
    expires_at: toIso(approval.expiresAtMs),
    command_id: approval.commandId,
  };
}

function toLine(approval: Approval): string {
  const { id, method, proposer, proposedAtMs, expiresAtMs } = approval;
  const when = `${toIso(proposedAtMs)} until ${toIso(expiresAtMs)}`;
  return `${id}  ${stateOf(approval)}  ${method}  proposed by ${proposer}  ${when}`;
}

function stateOf({ state }: Approval): string {
  return ApprovalState[state]?.toLowerCase() ?? 'unknown';
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}
