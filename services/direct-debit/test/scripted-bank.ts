import type { ChargeRequest, DirectDebitRail, RefundRequest } from '@gerbang/rails/direct-debit';

/** What the bank does with what it is asked for the first time. `lost`: it does it, and its answer never comes. */
export type Behaviour = 'takes' | 'refuses' | 'lost';

type Taken = { request: ChargeRequest; isTaken: boolean };
type Given = { request: RefundRequest; isGiven: boolean };

const REFUSED = { outcome: 'failed', code: '4035414', reason: 'Insufficient Funds' } as const;
const SILENT = { outcome: 'unknown', reason: 'no answer' } as const;

/** A bank in memory that knows repetitions by their references, as SNAP has it. */
export function newBank(given: { charge?: Behaviour; refund?: Behaviour } = {}) {
  const behaviour = { ...given };
  const charges = new Map<string, Taken>();
  const refunds = new Map<string, Given>();
  const asked: string[] = [];
  const state = { isBound: true, refresh: 'issues' as 'issues' | 'refuses', unbinds: 0, otp: '123456', isSilent: false };
  /** The time that it tells of a charge. */
  const told: { paidAtMs: number | undefined } = { paidAtMs: undefined };
  const tokens = () => ({ accessToken: 'access', refreshToken: 'refresh', expiresAtMs: Date.now() + 86_400_000 });
  const rail: DirectDebitRail = {
    authorize: async () => ({ outcome: 'authorized', authCode: 'code' }),
    sendOtp: async ({ purpose }) => {
      asked.push(`otp:${purpose}`);
      return { outcome: 'sent', chargeToken: 'charge-token' };
    },
    verifyOtp: async (_request, { otp }) => {
      asked.push('verify');
      return { outcome: otp === state.otp ? 'accepted' : 'wrong' };
    },
    bind: async () => ({ outcome: 'bound', accountToken: 'account', linkId: 'link' }),
    issueTokens: async (proof) => {
      asked.push('authCode' in proof ? 'tokens' : 'refresh');
      if ('refreshToken' in proof && state.refresh === 'refuses')
        return { outcome: 'failed', code: '4017400', reason: 'Unauthorized' };
      return { outcome: 'issued', ...tokens() };
    },
    findAccount: async () =>
      state.isBound
        ? { outcome: 'found', accountNumber: '1234567890', accountName: 'ANI' }
        : { outcome: 'gone', code: '4040811', reason: 'Invalid Account' },
    async charge(request, _by, { firstSend }) {
      asked.push('charge');
      if (charges.has(request.partnerReference)) return SILENT;
      const isTaken = behaviour.charge !== 'refuses';
      charges.set(request.partnerReference, { request, isTaken });
      if (behaviour.charge === 'lost') return SILENT;
      if (isTaken) return { outcome: 'accepted' };
      return firstSend ? REFUSED : SILENT;
    },
    async inquireCharge({ partnerReference }) {
      asked.push('status');
      if (state.isSilent) return SILENT;
      const found = charges.get(partnerReference);
      if (found === undefined) return { outcome: 'not_found' };
      return found.isTaken ? { outcome: 'succeeded', railReference: 'bank-1', paidAtMs: told.paidAtMs } : REFUSED;
    },
    async refund(request, { firstSend }) {
      asked.push('refund');
      const known = refunds.get(request.refundReference);
      const isGiven = known?.isGiven ?? behaviour.refund !== 'refuses';
      refunds.set(request.refundReference, { request, isGiven });
      if (known === undefined && behaviour.refund === 'lost') return SILENT;
      if (isGiven) return { outcome: 'succeeded', railReference: 'refund-1' };
      return firstSend ? REFUSED : SILENT;
    },
    async inquireRefund({ refundReference }) {
      asked.push('history');
      if (state.isSilent) return SILENT;
      const found = refunds.get(refundReference);
      if (found === undefined) return { outcome: 'not_found' };
      return found.isGiven ? { outcome: 'succeeded', railReference: 'refund-1' } : REFUSED;
    },
    async unbind() {
      state.unbinds++;
      return { outcome: 'unbound' };
    },
    close: async () => {},
  };
  /** What it does from now on. */
  const be = (changed: typeof given) => Object.assign(behaviour, changed);
  return { rail, charges, refunds, asked, state, told, be };
}
