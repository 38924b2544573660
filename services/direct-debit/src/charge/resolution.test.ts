import { isRefusal } from '@gerbang/core';
import { expect, test } from 'vitest';
import { decideCharge } from './charge.ts';
import { UNRESOLVED_AFTER_MS } from './schedule.ts';
import type { ChargeCommand, ChargeState, Proposal, Refund, RefundStage } from './state.ts';

const NOW = UNRESOLVED_AFTER_MS + 100;
const anas: Proposal = { operator: 'ana', outcome: 'failed', proposedAtMs: NOW };
const fees = { feeSen: 1n, netSen: 9n, vendorFeeSen: 0n, settleAtMs: NOW + 1 };

function sending(proposal?: Proposal): ChargeState & { status: 'sending' } {
  return { status: 'sending', chargeToken: undefined, sends: 1, inquiries: 7, waitingFor: 'no answer', proposal };
}

function refund(stage: RefundStage): Refund {
  const parts = { amountSen: 5n, fromPendingSen: 5n, fromAvailableSen: 0n };
  return { id: 'r', referenceNumber: 'r', contentHash: '', ...parts, request: '', createdAtMs: 0, stage };
}

function refunding(stage: RefundStage): ChargeState {
  return { status: 'settled', settledAtMs: 1, railReference: 'b', chargedAtMs: 1, fees, refunds: [refund(stage)] };
}

function refundSending(proposal?: Proposal): RefundStage {
  return { status: 'sending', sends: 1, inquiries: 7, waitingFor: 'no answer', dueAtMs: NOW, proposal };
}

const ofCharge = { refundId: undefined, orderedAtMs: 0 };
const ofRefund = { refundId: 'r', orderedAtMs: 0 };
const failure = { code: 'OPERATOR', reason: 'Resolved by operators', send: undefined };
const fail: ChargeCommand & { type: 'fail' } = { type: 'fail', ...failure };
const charged: ChargeCommand & { type: 'charged' } = { type: 'charged', railReference: 'o', chargedAtMs: NOW, fees };
const refused: ChargeCommand & { type: 'refund-refused' } = { type: 'refund-refused', id: 'r', ...failure };

const propose = (proposal: Proposal, of: typeof ofCharge | typeof ofRefund): ChargeCommand => ({
  type: 'propose',
  ...of,
  proposal,
});
const approve = (
  operator: string,
  decided: typeof fail | typeof charged | typeof refused,
  of: typeof ofCharge | typeof ofRefund = ofCharge,
): ChargeCommand => {
  const outcome = decided.type === 'charged' ? 'succeeded' : 'failed';
  return { type: 'approve', ...of, proposal: { operator, outcome, proposedAtMs: NOW }, decided };
};

const young = { ...ofCharge, orderedAtMs: NOW - UNRESOLVED_AFTER_MS + 1 };
const failed: ChargeState = { status: 'failed', code: failure.code, reason: failure.reason, endedAtMs: NOW };
const returning: RefundStage = { status: 'returning', toPending: false, code: failure.code, reason: failure.reason };
const bens: Proposal = { operator: 'ben', outcome: 'succeeded', proposedAtMs: NOW };

test.each<[string, ChargeState, ChargeCommand, ChargeState | 'refused']>([
  ['the first proposal', sending(), propose(anas, ofCharge), sending(anas)],
  ['another proposal replaces it', sending(anas), propose(bens, ofCharge), sending(bens)],
  ['the bank may still answer', sending(), propose(anas, young), 'refused'],
  ['nothing was sent', { status: 'created' }, propose(anas, ofCharge), 'refused'],
  ['the outcome is known', failed, propose(anas, ofCharge), 'refused'],
  ['another operator approves', sending(anas), approve('ben', fail), failed],
  [
    'another operator approves a success',
    sending({ operator: 'ana', outcome: 'succeeded', proposedAtMs: NOW }),
    approve('ben', charged),
    { status: 'crediting', railReference: 'o', chargedAtMs: NOW, fees, refunds: [] },
  ],
  ['an approval needs a proposal', sending(), approve('ben', fail), 'refused'],
  ['an approval is of the proposed outcome', sending(anas), approve('ben', charged), 'refused'],
  ['no operator approves an own proposal', sending(anas), approve('ana', fail), 'refused'],
  ['an approval comes after the bank', failed, approve('ben', fail), 'refused'],
  [
    'a proposal outlives an answer that tells nothing',
    sending(anas),
    { type: 'wait', waitingFor: 'w' },
    { ...sending(anas), inquiries: 8, waitingFor: 'w' },
  ],
  ['a proposal outlives another send', sending(anas), { type: 'send', after: 1 }, { ...sending(anas), sends: 2, waitingFor: '' }],
  ['of a refund: the first proposal', refunding(refundSending()), propose(anas, ofRefund), refunding(refundSending(anas))],
  [
    'of a refund: another operator approves',
    refunding(refundSending(anas)),
    approve('ben', refused, ofRefund),
    refunding(returning),
  ],
  [
    'of a refund: no operator approves an own proposal',
    refunding(refundSending(anas)),
    approve('ana', refused, ofRefund),
    'refused',
  ],
  ['of a refund that is returning', refunding(returning), propose(anas, ofRefund), 'refused'],
  ['of a refund that is none', refunding(refundSending()), propose(anas, { refundId: 'x', orderedAtMs: 0 }), 'refused'],
])('%s', (_what, state, command, expected) => {
  const events = decideCharge(state, command, NOW);
  expect(isRefusal(events) ? 'refused' : (events[0]?.state ?? 'nothing')).toEqual(expected);
});
