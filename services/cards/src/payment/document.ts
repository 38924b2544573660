import type { CardBrand, Storable } from '@gerbang/core';
import type { AggregateDocument, Due } from '@gerbang/store';
import type { Told } from './link-standing.ts';
import type {
  Asked,
  Authorisation,
  Capture,
  Captured,
  Customer,
  Decision,
  FormField,
  LinkSession,
  PaymentOrder,
  PaymentState,
  Recurring,
  Refund,
  RefusedCancel,
  Withdrawal,
} from './state.ts';

/** A payment as it was read, with the version that the next change is conditional on. */
export type StoredPayment = {
  order: PaymentOrder;
  state: PaymentState;
  /** What money-in knows of one that pays a session of a payment link; undefined: nothing yet. */
  told: Told | undefined;
  document: StoredPaymentDocument;
};

type AuthorisationDocument = {
  acquirer_reference: string;
  approval_code: string;
  authorised_at: Date;
  capture_at: Date;
  fee_sen: bigint;
  net_sen: bigint;
  vendor_fee_sen: bigint;
  basis_points: number;
  network_transaction_id?: string;
};
type CaptureDocument = {
  captured_at: Date;
  settle_at: Date;
  settled_at?: Date;
  refund_attempts: number;
  withdrawal_attempts?: number;
  disputes?: { id: string; sen: bigint }[];
};
type RefundDocument = { attempt: number; from_pending_sen: bigint; from_available_sen: bigint };

/** Fields that some states have and others do not. */
type StateFields = {
  status: PaymentState['status'];
  sent_at?: Date;
  asked?: { tries: number; waiting_for: string };
  challenge?: { url: string; expires_at: Date; fields?: FormField[] };
  authorisation?: AuthorisationDocument;
  capture?: CaptureDocument;
  refund?: RefundDocument;
  refused_cancel?: { attempt: number; because: RefusedCancel['because']; reason: string };
  failed_code?: string;
  reason?: string;
  /** None in what older programs have stored: the first attempt at the account. */
  withdrawal?: { attempt: number; taken_from: Withdrawal['takenFrom']; said: Withdrawal['said'] };
  ended_at?: Date;
};

/** What operators have decided. */
type DecisionDocument = { at: Date; outcome: Decision['outcome']; evidence: string; proposer: string; approver: string };

/** `Storable`: what has a card in it does not compile here. */
export type PaymentDocument = Storable<
  Due &
    StateFields & {
      account_id: string;
      partition: string;
      merchant_name: string;
      amount_sen: bigint;
      masked_card: string;
      brand: CardBrand;
      card_holder_name: string;
      installment: number;
      installment_months: number;
      customer: Customer;
      merchant_reff_no: string;
      redirect_url: string;
      created_at: Date;
      link?: { link: string; session: string; expires_at: Date };
      /** What money-in knows of it. */
      link_told?: Told;
      recurring?: { plan_id: string; cycle: number; initiated_by: 'customer' | 'merchant'; network_transaction_id: string };
      /** Since when the acquirer owes the answer that the payment waits for. */
      asked_at?: Date;
      /** Since when the acquirer may have given the money back. */
      given_back_at?: Date;
      /** Since when it waits, of what operators should look at. */
      unresolved_at?: Date;
      /** When it came into its states, oldest first; bounded. None in what older programs have stored. */
      history?: { status: PaymentState['status']; at: Date }[];
      decisions?: DecisionDocument[];
    }
>;

export type StoredPaymentDocument = AggregateDocument<PaymentDocument>;

const STATE_FIELDS = [
  'sent_at',
  'asked',
  'challenge',
  'authorisation',
  'capture',
  'refund',
  'refused_cancel',
  'failed_code',
  'reason',
  'withdrawal',
  'ended_at',
] as const;

export function newPaymentDocument(
  order: PaymentOrder,
  dueMs: number | undefined,
  state: PaymentState = { status: 'created' },
): PaymentDocument {
  return {
    account_id: order.accountId,
    partition: order.partition,
    merchant_name: order.merchantName,
    amount_sen: order.amountSen,
    masked_card: order.maskedCard,
    brand: order.brand,
    card_holder_name: order.cardHolderName,
    installment: order.installment,
    installment_months: order.installmentMonths,
    customer: order.customer,
    merchant_reff_no: order.merchantReffNo,
    redirect_url: order.redirectUrl,
    created_at: new Date(order.createdAtMs),
    ...(dueMs !== undefined && { due_at: new Date(dueMs) }),
    ...(order.link && {
      link: {
        link: order.link.linkReffNo,
        session: order.link.sessionReffNo,
        expires_at: new Date(order.link.expiresAtMs),
      },
    }),
    ...(order.recurring && {
      recurring: {
        plan_id: order.recurring.planId,
        cycle: order.recurring.cycle,
        initiated_by: order.recurring.initiatedBy,
        network_transaction_id: order.recurring.networkTransactionId,
      },
    }),
    ...toStateFields(state),
    ...(state.status !== 'created' && { history: [{ status: state.status, at: new Date(order.createdAtMs) }] }),
  };
}

/** The fields that make a document stand so, and those that it must not have any more. */
export function stateChange(state: PaymentState, document: StoredPaymentDocument) {
  const set = toStateFields(state);
  return { set, unset: STATE_FIELDS.filter((field) => !(field in set) && field in document) };
}

function toStateFields(state: PaymentState): StateFields {
  return {
    status: state.status,
    ...('sentAtMs' in state && { sent_at: new Date(state.sentAtMs) }),
    ...('asked' in state && { asked: { tries: state.asked.tries, waiting_for: state.asked.waitingFor } }),
    ...('url' in state && { challenge: toChallenge(state) }),
    ...('authorisation' in state && { authorisation: toAuthorisation(state.authorisation) }),
    ...('capture' in state && { capture: toCapture(state.capture) }),
    ...('refund' in state && { refund: toRefund(state.refund) }),
    ...('refused' in state && state.refused !== undefined && { refused_cancel: state.refused }),
    ...('code' in state && { failed_code: state.code }),
    ...('reason' in state && { reason: state.reason }),
    ...('withdrawal' in state && { withdrawal: toWithdrawal(state.withdrawal) }),
    ...('endedAtMs' in state && { ended_at: new Date(state.endedAtMs) }),
  };
}

function toChallenge({ url, fields, expiresAtMs }: Extract<PaymentState, { status: 'challenging' }>) {
  return { url, expires_at: new Date(expiresAtMs), ...(fields && { fields: [...fields] }) };
}

function toAuthorisation({
  acquirerReference,
  approvalCode,
  authorisedAtMs,
  captureAtMs,
  networkTransactionId,
  fees,
}: Authorisation) {
  return {
    ...(networkTransactionId !== '' && { network_transaction_id: networkTransactionId }),
    acquirer_reference: acquirerReference,
    approval_code: approvalCode,
    authorised_at: new Date(authorisedAtMs),
    capture_at: new Date(captureAtMs),
    fee_sen: fees.feeSen,
    net_sen: fees.netSen,
    vendor_fee_sen: fees.vendorFeeSen,
    basis_points: fees.basisPoints,
  };
}

function toCapture(capture: Capture): CaptureDocument {
  const { capturedAtMs, settleAtMs, settledAtMs, refundAttempts, withdrawalAttempts, disputes } = capture;
  return {
    captured_at: new Date(capturedAtMs),
    settle_at: new Date(settleAtMs),
    ...(settledAtMs !== undefined && { settled_at: new Date(settledAtMs) }),
    refund_attempts: refundAttempts,
    ...(withdrawalAttempts !== undefined && { withdrawal_attempts: withdrawalAttempts }),
    ...(disputes !== undefined && { disputes: [...disputes] }),
  };
}

function toRefund({ attempt, fromPendingSen, fromAvailableSen }: Refund): RefundDocument {
  return { attempt, from_pending_sen: fromPendingSen, from_available_sen: fromAvailableSen };
}

function toWithdrawal({ attempt, takenFrom, said }: Withdrawal) {
  return { attempt, taken_from: takenFrom, said };
}

export function fromPaymentDocument(document: StoredPaymentDocument): StoredPayment {
  const order: PaymentOrder = {
    id: document._id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    partition: document.partition,
    merchantName: document.merchant_name,
    amountSen: document.amount_sen,
    maskedCard: document.masked_card,
    brand: document.brand,
    cardHolderName: document.card_holder_name,
    installment: document.installment,
    installmentMonths: document.installment_months,
    customer: document.customer,
    merchantReffNo: document.merchant_reff_no,
    redirectUrl: document.redirect_url,
    createdAtMs: document.created_at.getTime(),
    ...(document.recurring && { recurring: recurringOf(document.recurring) }),
    ...(document.link && { link: linkOf(document.link) }),
  };
  return { order, state: toState(document), told: document.link_told, document };
}

function linkOf({ link, session, expires_at }: NonNullable<PaymentDocument['link']>): LinkSession {
  return { linkReffNo: link, sessionReffNo: session, expiresAtMs: expires_at.getTime() };
}

function recurringOf(stored: NonNullable<PaymentDocument['recurring']>): Recurring {
  const { plan_id: planId, cycle, initiated_by: initiatedBy, network_transaction_id: networkTransactionId } = stored;
  return { planId, cycle, initiatedBy, networkTransactionId };
}

function toState(document: StoredPaymentDocument): PaymentState {
  const { status, refused_cancel: refused, failed_code: code = '', reason = '' } = document;
  switch (status) {
    case 'created':
      return { status };
    case 'authorising':
      return { status, sentAtMs: must(document, document.sent_at).getTime(), asked: askedOf(document) };
    case 'challenging': {
      const { url, fields, expires_at } = must(document, document.challenge);
      const sentAtMs = must(document, document.sent_at).getTime();
      return { status, sentAtMs, url, ...(fields && { fields }), expiresAtMs: expires_at.getTime(), asked: askedOf(document) };
    }
    case 'authorised':
      return { status, authorisation: authorisationOf(document), refused };
    case 'capturing':
    case 'voiding':
      return { status, authorisation: authorisationOf(document), asked: askedOf(document) };
    case 'cancelled':
      return { status, authorisation: authorisationOf(document), endedAtMs: endOf(document) };
    case 'crediting':
    case 'settling':
      return { status, ...capturedOf(document) };
    case 'captured':
    case 'settled':
      return { status, ...capturedOf(document), refused };
    case 'reserving':
      return { status, ...capturedOf(document), refund: refundOf(document) };
    case 'refunding':
      return { status, ...capturedOf(document), refund: refundOf(document), asked: askedOf(document) };
    case 'returning':
      return { status, ...capturedOf(document), refund: refundOf(document), reason };
    case 'refunded':
      return { status, ...capturedOf(document), refund: refundOf(document), endedAtMs: endOf(document) };
    case 'failed':
      return { status, code, reason, endedAtMs: endOf(document) };
    case 'releasing':
      return { status, code, reason, endedAtMs: endOf(document), asked: askedOf(document) };
    case 'withdrawing':
      return { status, ...capturedOf(document), reason, withdrawal: withdrawalOf(document) };
    case 'withdrawn':
    case 'contested':
    case 'written-off':
      return { status, ...capturedOf(document), reason, withdrawal: withdrawalOf(document), endedAtMs: endOf(document) };
    default:
      return status satisfies never;
  }
}

function askedOf(document: StoredPaymentDocument): Asked {
  const { tries, waiting_for: waitingFor } = must(document, document.asked);
  return { tries, waitingFor };
}

function authorisationOf(document: StoredPaymentDocument): Authorisation {
  const stored = must(document, document.authorisation);
  return {
    acquirerReference: stored.acquirer_reference,
    approvalCode: stored.approval_code,
    authorisedAtMs: stored.authorised_at.getTime(),
    captureAtMs: stored.capture_at.getTime(),
    networkTransactionId: stored.network_transaction_id ?? '',
    fees: {
      feeSen: stored.fee_sen,
      netSen: stored.net_sen,
      vendorFeeSen: stored.vendor_fee_sen,
      basisPoints: stored.basis_points,
    },
  };
}

function capturedOf(document: StoredPaymentDocument): Captured {
  const stored = must(document, document.capture);
  const { captured_at, settle_at, settled_at, refund_attempts, withdrawal_attempts, disputes } = stored;
  const capture = {
    capturedAtMs: captured_at.getTime(),
    settleAtMs: settle_at.getTime(),
    settledAtMs: settled_at?.getTime(),
    refundAttempts: refund_attempts,
    ...(withdrawal_attempts !== undefined && { withdrawalAttempts: withdrawal_attempts }),
    ...(disputes !== undefined && { disputes }),
  };
  return { authorisation: authorisationOf(document), capture };
}

function refundOf(document: StoredPaymentDocument): Refund {
  const { attempt, from_pending_sen, from_available_sen } = must(document, document.refund);
  return { attempt, fromPendingSen: from_pending_sen, fromAvailableSen: from_available_sen };
}

function withdrawalOf({ withdrawal }: StoredPaymentDocument): Withdrawal {
  if (withdrawal === undefined) return { attempt: 1, takenFrom: 'account', said: 'refunded' };
  return { attempt: withdrawal.attempt, takenFrom: withdrawal.taken_from, said: withdrawal.said };
}

function endOf(document: StoredPaymentDocument): number {
  return must(document, document.ended_at).getTime();
}

function must<T>({ _id, status }: StoredPaymentDocument, value: T | undefined): T {
  if (value === undefined) throw new Error(`card payment ${_id} is ${status} and lacks a field`);
  return value;
}
