import { isDuplicateKey, type Store } from '@gerbang/store';
import { APPROVAL_MS, type Approval, approvalId, type Proposal } from './approval.ts';

const SCHEMA = 1;
const LIST_MAX = 500;
/** What is over is kept so long, for those who look for it. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

type ApprovalDocument = {
  _id: string;
  schema: number;
  version: bigint;
  state: Approval['state'];
  service: string;
  method: string;
  /** Base64. */
  request: string;
  proposer: string;
  proposed_at: Date;
  expires_at: Date;
  command: string;
  purged_at: Date;
};

/** As it was read, with the version that a change is conditional on. */
export type StoredApproval = Approval & { version: bigint };

export type ApprovalStore = {
  find(id: string): Promise<StoredApproval | undefined>;
  /** Those that wait or are being carried out; newest first, at most 500. */
  listOpen(): Promise<StoredApproval[]>;
  /** Proposes what was not proposed, or is over; false when somebody else was faster. */
  propose(proposal: Proposal, proposer: string, nowMs: number, over: StoredApproval | undefined): Promise<boolean>;
  /** The command that has taken it has ended, however. */
  finish(commandId: string): Promise<void>;
  /** False when somebody else has changed it meanwhile. */
  change(stored: StoredApproval, to: Pick<Approval, 'state' | 'commandId'>): Promise<boolean>;
};

/** Opens the commands that wait for a second operator. */
export async function openApprovalStore(store: Store): Promise<ApprovalStore> {
  const approvals = store.collection<ApprovalDocument>('operator_approvals');
  await approvals.createIndex({ purged_at: 1 }, { name: 'purged', expireAfterSeconds: 0 });
  await approvals.createIndex({ command: 1 }, { name: 'of-command' });
  await approvals.createIndex({ state: 1, proposed_at: -1 }, { name: 'waiting' });
  return {
    async find(id) {
      const document = await approvals.findOne({ _id: id }, { readConcern: 'linearizable' });
      return document === null ? undefined : toStored(document);
    },
    async listOpen() {
      const waiting = { state: { $in: ['open' as const, 'executing' as const] } };
      return (await approvals.find(waiting, { sort: { proposed_at: -1 }, limit: LIST_MAX }).toArray()).map(toStored);
    },
    async propose(proposal, proposer, nowMs, over) {
      const fields = {
        schema: SCHEMA,
        version: (over?.version ?? 0n) + 1n,
        state: 'open' as const,
        service: proposal.service,
        method: proposal.method,
        request: Buffer.from(proposal.request).toString('base64'),
        proposer,
        proposed_at: new Date(nowMs),
        expires_at: new Date(nowMs + APPROVAL_MS),
        command: '',
        purged_at: new Date(nowMs + KEPT_MS),
      };
      const id = approvalId(proposal);
      if (over !== undefined) {
        return (await approvals.updateOne({ _id: id, version: over.version }, { $set: fields })).modifiedCount === 1;
      }
      try {
        await approvals.insertOne({ _id: id, ...fields });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async finish(commandId) {
      const taken = await approvals.findOne({ command: commandId, state: 'executing' });
      if (taken === null) return;
      const { _id, version } = taken;
      await approvals.updateOne({ _id, version }, { $set: { state: 'used', version: version + 1n } });
    },
    async change({ id, version }, { state, commandId }) {
      const changes = { state, command: commandId, version: version + 1n };
      return (await approvals.updateOne({ _id: id, version }, { $set: changes })).modifiedCount === 1;
    },
  };
}

function toStored(document: ApprovalDocument): StoredApproval {
  return {
    id: document._id,
    version: document.version,
    state: document.state,
    service: document.service,
    method: document.method,
    request: Buffer.from(document.request, 'base64'),
    proposer: document.proposer,
    proposedAtMs: document.proposed_at.getTime(),
    expiresAtMs: document.expires_at.getTime(),
    commandId: document.command,
  };
}
