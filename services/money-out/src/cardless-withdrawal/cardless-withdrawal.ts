import type { Keys, Secret } from '@gerbang/keys';
import type { CardlessRail, CardlessRequest, CardlessState } from '@gerbang/rails/cardless-withdrawal';
import type { Outcome, Product } from '../transfer/product.ts';
import { isHeld, type TransferState } from '../transfer/state.ts';
import { beneficiaryOf, CARDLESS_WITHDRAWAL } from './content.ts';
import { readDetails } from './document.ts';
import { toEvent, toMessage } from './message.ts';
import { readRequest, toRequest, writeRequest } from './rail-request.ts';

/** A product of the saga that also opens the codes of its withdrawals. */
export type CardlessWithdrawal = Product & {
  /** The code while it can be used, else empty. Refusals: unavailable. Throws when its key is missing. */
  codeOf(state: TransferState): Promise<string>;
  /** For an answer that is kept with an Idempotency-Key; `owner` is the transaction. */
  sealCode(owner: string, code: string): Promise<string>;
  openCode(owner: string, text: string): Promise<string>;
};

/**
 * The cardless withdrawal: a code with which a customer draws cash at a bank's machine until it is canceled or expires. The
 * bank's first answer that the code can be used is a pending outcome with the code as its receipt, which is sealed before it goes
 * any further.
 */
export function createCardlessWithdrawal(
  rail: Pick<CardlessRail, 'createCode' | 'inquire' | 'cancel'>,
  keys: Keys<'withdrawal-code'>,
): CardlessWithdrawal {
  const toOutcome = async ({ partnerReference }: CardlessRequest, state: CardlessState): Promise<Outcome> => {
    switch (state.outcome) {
      case 'active':
        return {
          outcome: 'pending',
          receipt: { withdrawal_code: await keys.seal(withdrawalCode(partnerReference), state.code) },
        };
      case 'withdrawn':
        return { outcome: 'succeeded', railReference: state.railReference };
      case 'canceled':
        // Why Gerbang wanted it canceled decides between canceled and expired.
        return { outcome: 'canceled' };
      case 'expired':
        return { outcome: 'canceled', reason: 'expired' };
      case 'failed': {
        const { code, reason, phoneUnknown } = state;
        return { outcome: 'failed', code, reason, cause: phoneUnknown ? 'recipient_unknown' : 'other' };
      }
      case 'pending':
      case 'unknown':
        return state;
      default:
        return state satisfies never;
    }
  };
  return {
    name: CARDLESS_WITHDRAWAL,
    rail: 'cardless',
    channelOf: (details) => readDetails(details).bankCode,
    beneficiaryOf: (details) => beneficiaryOf(readDetails(details)),
    requestOf: (order, details) => writeRequest(toRequest(order, readDetails(details))),
    async send(text, options) {
      const request = readRequest(text);
      return toOutcome(request, await rail.createCode(request, options));
    },
    async inquire(text, options) {
      const request = readRequest(text);
      const found = await rail.inquire(request, options);
      return found.outcome === 'not_found' ? found : toOutcome(request, found);
    },
    // The bank recognizes a reference without limit of time.
    mayResend: () => true,
    cancel: {
      async send(text, options) {
        const request = readRequest(text);
        const after = await rail.cancel(request, options);
        return after.outcome === 'not_found' ? after : toOutcome(request, after);
      },
      expiresAtMs: (details) => readDetails(details).expiresAtMs,
    },
    toMessage,
    toEvent,
    async codeOf(state) {
      if (!isHeld(state) || state.receipt.withdrawal_code === undefined) return '';
      return keys.open(withdrawalCode(readRequest(state.request).partnerReference), state.receipt.withdrawal_code);
    },
    sealCode: (owner, code) => keys.seal(withdrawalCode(owner), code),
    openCode: (owner, text) => keys.open(withdrawalCode(owner), text),
  };
}

/** The code is enough to draw the cash, so it is stored in no other form. */
export function withdrawalCode(owner: string): Secret<'withdrawal-code'> {
  return { purpose: 'withdrawal-code', owner };
}
