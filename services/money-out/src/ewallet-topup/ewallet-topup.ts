import { jakartaDay } from '@gerbang/core';
import { callWithin } from '@gerbang/rails';
import type { EwalletTopupRail, Wallet } from '@gerbang/rails/ewallet-topup';
import type { Outcome, Product } from '../transfer/product.ts';
import { beneficiaryOf, EWALLET_TOPUP } from './content.ts';
import { readDetails } from './document.ts';
import { toEvent, toMessage } from './message.ts';
import { readRequest, toRequest, writeRequest } from './rail-request.ts';

/** How long a top-up that was paid waits for its customer's name. Without one it is paid all the same. */
const NAME_WITHIN_MS = 500;

/** The e-wallet top-up. A wallet executes a request at once or soon and cannot cancel it. */
export function createEwalletTopup(rail: Omit<EwalletTopupRail, 'close'>): Product {
  return {
    name: EWALLET_TOPUP,
    rail: 'ewallet',
    channelOf: (details) => readDetails(details).channel,
    beneficiaryOf: (details) => beneficiaryOf(readDetails(details)),
    requestOf: (order, details, nowMs) => writeRequest(toRequest(order, readDetails(details), nowMs)),
    async send(text, options) {
      const request = readRequest(text);
      return withName(rail, request, await rail.topUp(request, options));
    },
    async inquire(text, options) {
      const request = readRequest(text);
      const found = await rail.inquireTopup(request, options);
      return found.outcome === 'not_found' ? found : withName(rail, request, found);
    },
    // SNAP's external id is unique for a day: after that the wallet cannot recognize a repetition.
    mayResend: (request, nowMs) => jakartaDay(readRequest(request).createdAtMs) === jakartaDay(nowMs),
    toMessage,
    toEvent,
  };
}

/** The customer's name with a top-up that was paid: no answer about a top-up has it, only the inquiry of the wallet. */
async function withName(rail: Pick<EwalletTopupRail, 'inquireWallet'>, wallet: Wallet, outcome: Outcome): Promise<Outcome> {
  if (outcome.outcome !== 'succeeded') return outcome;
  const found = await callWithin(NAME_WITHIN_MS, (signal) => rail.inquireWallet(wallet, { signal }));
  return found.outcome === 'found' ? { ...outcome, receipt: { name: found.name } } : outcome;
}
