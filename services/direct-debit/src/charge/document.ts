import type { AggregateDocument, Due } from '@gerbang/store';
import { fromOtpDocument, type OtpDocument, toOtpDocument } from '../otp/document.ts';
import { type ProposalDocument, proposalOf, toProposalDocument } from './proposal-document.ts';
import { fromRefundDocument, type RefundDocument, toRefundDocument } from './refund-document.ts';
import type { Charged, ChargeOrder, ChargeState } from './state.ts';

/** A charge as it was read, with the version that the next change is conditional on. */
export type StoredCharge = { order: ChargeOrder; state: ChargeState; document: StoredChargeDocument };

type FeesDocument = { fee_sen: bigint; net_sen: bigint; vendor_fee_sen: bigint; settle_at: Date };

/** Fields that some states have and others do not. */
type StateFields = {
  status: ChargeState['status'];
  otp?: OtpDocument;
  charge_token?: string;
  sends?: number;
  inquiries?: number;
  waiting_for?: string;
  resolution_proposal?: ProposalDocument;
  rail_reference?: string;
  charged_at?: Date;
  fees?: FeesDocument;
  refunds?: RefundDocument[];
  settle_sen?: bigint;
  settled_at?: Date;
  failed_code?: string;
  failed_reason?: string;
  ended_at?: Date;
  /** Of earlier versions, by a name that its proposer gave: it counts no more. */
  proposal?: never;
  /** Set by a state, and never taken back. */
  requires_otp?: true;
};

export type ChargeDocument = Due &
  Omit<StateFields, 'requires_otp'> & {
    account_id: string;
    partition: string;
    binding_id: string;
    bank_code: string;
    customer_id: string;
    reference_number: string;
    amount_sen: bigint;
    description: string;
    content_hash: string;
    request: string;
    requires_otp: boolean;
    created_at: Date;
    /** Since when operators should look. */
    unresolved_at?: Date;
  };

export type StoredChargeDocument = AggregateDocument<ChargeDocument>;

const STATE_FIELDS = [
  'otp',
  'charge_token',
  'sends',
  'inquiries',
  'waiting_for',
  'resolution_proposal',
  'proposal',
  'rail_reference',
  'charged_at',
  'fees',
  'refunds',
  'settle_sen',
  'settled_at',
  'failed_code',
  'failed_reason',
  'ended_at',
] as const;

export function newChargeDocument(order: ChargeOrder, dueMs: number): ChargeDocument {
  return {
    account_id: order.accountId,
    partition: order.partition,
    binding_id: order.bindingId,
    bank_code: order.bankCode,
    customer_id: order.customerId,
    reference_number: order.referenceNumber,
    amount_sen: order.amountSen,
    description: order.description,
    content_hash: order.contentHash,
    request: order.request,
    requires_otp: order.requiresOtp,
    created_at: new Date(order.createdAtMs),
    due_at: new Date(dueMs),
    status: 'created',
  };
}

/** The fields that make a document stand so, and those that it must not have any more. */
export function stateChange(state: ChargeState, document: StoredChargeDocument) {
  const set = toStateFields(state);
  return { set, unset: STATE_FIELDS.filter((field) => !(field in set) && field in document) };
}

function toStateFields(state: ChargeState): StateFields {
  const { status } = state;
  switch (state.status) {
    case 'created':
      return { status };
    case 'awaiting-otp':
      // Also where only the bank has asked for one: the request then went to it in the form with an OTP.
      return { status, otp: toOtpDocument(state.otp), requires_otp: true };
    case 'sending': {
      const { chargeToken, sends, inquiries, waitingFor, proposal } = state;
      return {
        status,
        sends,
        inquiries,
        waiting_for: waitingFor,
        ...(chargeToken !== undefined && { charge_token: chargeToken }),
        ...(proposal !== undefined && { resolution_proposal: toProposalDocument(proposal) }),
      };
    }
    case 'crediting':
    case 'paid':
      return { status, ...toChargedFields(state) };
    case 'settling':
      return { status, ...toChargedFields(state), settle_sen: state.settleSen };
    case 'settled':
      return { status, ...toChargedFields(state), settled_at: new Date(state.settledAtMs) };
    case 'failed':
      return { status, failed_code: state.code, failed_reason: state.reason, ended_at: new Date(state.endedAtMs) };
    case 'expired':
      return { status, ended_at: new Date(state.endedAtMs) };
    default:
      return state satisfies never;
  }
}

function toChargedFields({ railReference, chargedAtMs, fees, refunds }: Charged) {
  return {
    rail_reference: railReference,
    charged_at: new Date(chargedAtMs),
    fees: {
      fee_sen: fees.feeSen,
      net_sen: fees.netSen,
      vendor_fee_sen: fees.vendorFeeSen,
      settle_at: new Date(fees.settleAtMs),
    },
    refunds: refunds.map(toRefundDocument),
  };
}

export function fromChargeDocument(document: StoredChargeDocument): StoredCharge {
  const order: ChargeOrder = {
    id: document._id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    partition: document.partition,
    bindingId: document.binding_id,
    bankCode: document.bank_code,
    customerId: document.customer_id,
    referenceNumber: document.reference_number,
    amountSen: document.amount_sen,
    description: document.description,
    contentHash: document.content_hash,
    request: document.request,
    requiresOtp: document.requires_otp,
    createdAtMs: document.created_at.getTime(),
  };
  return { order, state: toState(document), document };
}

function toState(document: StoredChargeDocument): ChargeState {
  const { status, otp, charge_token, sends = 0, inquiries = 0, waiting_for = '' } = document;
  const { failed_code = '', failed_reason = '' } = document;
  switch (status) {
    case 'created':
      return { status };
    case 'awaiting-otp':
      return { status, otp: fromOtpDocument(must(document, otp)) };
    case 'sending': {
      const proposal = proposalOf(document.resolution_proposal);
      return { status, chargeToken: charge_token, sends, inquiries, waitingFor: waiting_for, proposal };
    }
    case 'crediting':
    case 'paid':
      return { status, ...toCharged(document) };
    case 'settling':
      return { status, ...toCharged(document), settleSen: must(document, document.settle_sen) };
    case 'settled':
      return { status, ...toCharged(document), settledAtMs: must(document, document.settled_at).getTime() };
    case 'failed':
      return { status, code: failed_code, reason: failed_reason, endedAtMs: must(document, document.ended_at).getTime() };
    case 'expired':
      return { status, endedAtMs: must(document, document.ended_at).getTime() };
    default:
      return status satisfies never;
  }
}

function toCharged(document: StoredChargeDocument): Charged {
  const { fee_sen, net_sen, vendor_fee_sen, settle_at } = must(document, document.fees);
  return {
    railReference: must(document, document.rail_reference),
    chargedAtMs: must(document, document.charged_at).getTime(),
    fees: { feeSen: fee_sen, netSen: net_sen, vendorFeeSen: vendor_fee_sen, settleAtMs: settle_at.getTime() },
    refunds: must(document, document.refunds).map(fromRefundDocument),
  };
}

function must<T>({ _id, status }: StoredChargeDocument, value: T | undefined): T {
  if (value === undefined) throw new Error(`charge ${_id} is ${status} and lacks a field`);
  return value;
}
