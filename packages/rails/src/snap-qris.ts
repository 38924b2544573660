import { formatSen, jakartaIso, type QrisTip } from '@gerbang/core';
import { z } from 'zod';
import { aspi } from './providers/aspi.ts';
import { findService, type Provider, serviceOf } from './providers/provider.ts';
import type { QrisGeneration, QrisInquiry, QrisName, QrisRail, QrisRequest } from './qris.ts';
import type { NotFoundOutcome, RefusedOutcome, UnknownOutcome } from './rail-call.ts';
import {
  aboutAnother,
  createSnapCalls,
  isDone,
  readRefusal,
  readRefusalOrNotFound,
  snapAmount,
  toSnapAmount,
  unknownBy,
  unreadable,
} from './snap-call.ts';
import { openSnapClient, PAYMENT_CONNECTIONS_MAX, type SnapAnswer, type SnapCredentials } from './snap-client.ts';
import { type PaymentStateForm, readPaymentState, toOriginalName } from './snap-payment-state.ts';

const NOT_FOUND_CASES = ['01'];

const generated = z.object({
  referenceNo: z.string().min(1).max(64),
  partnerReferenceNo: z.string().optional(),
  qrContent: z.string().min(1).max(512),
});

export type SnapQrisOptions = SnapCredentials & {
  /** By which the acquirer knows whose codes they are. */
  merchantId: string;
};

/** An acquirer that speaks SNAP's QR MPM generate, query and cancel (47, 51, 77). `now` is real time. */
export function openSnapQris(options: SnapQrisOptions, now: () => number = Date.now): QrisRail {
  const { provider = aspi } = options;
  const generate = serviceOf(provider, 'qrisGenerate');
  const query = serviceOf(provider, 'qrisQuery');
  const cancel = findService(provider, 'qrisCancel');
  const validityMs = provider.qris?.validityMs;
  const snap = openSnapClient(options, now, PAYMENT_CONNECTIONS_MAX);
  const call = createSnapCalls(snap, now);
  return {
    async generate(request, { signal }) {
      const expiresAtMs = withinValidity(request.expiresAtMs, validityMs, now());
      if (expiresAtMs === undefined) return TOO_SHORT;
      const body = toBody({ ...request, expiresAtMs }, options.merchantId);
      return call(generate, body, signal, (answer) => readGeneration(answer, request));
    },
    query: (code, { signal }) =>
      call(query, { ...toOriginalName(code), serviceCode: generate.code, merchantId: options.merchantId }, signal, (answer) =>
        readState(answer, code),
      ),
    cancel: async (code, { signal }) =>
      cancel === undefined
        ? NO_CANCEL
        : call(
            cancel,
            { ...toOriginalName(code), merchantId: options.merchantId, reason: 'no longer for sale' },
            signal,
            readCancel,
          ),
    close: () => snap.close(),
  };
}

const NO_CANCEL: UnknownOutcome = { outcome: 'unknown', reason: 'the provider cancels no codes' };
const TOO_SHORT: RefusedOutcome = { outcome: 'failed', code: '', reason: 'the provider makes no code that lives so short' };

/**
 * Until when a code may live at the provider; undefined where that is longer than is asked, for it could be paid too late. One
 * that would live too long ends earlier.
 */
function withinValidity(
  expiresAtMs: number,
  validityMs: NonNullable<Provider['qris']>['validityMs'],
  nowMs: number,
): number | undefined {
  if (validityMs === undefined) return expiresAtMs;
  if (expiresAtMs - nowMs < validityMs.min) return undefined;
  return Math.min(expiresAtMs, nowMs + validityMs.max);
}

export function readGeneration(answer: SnapAnswer, request: QrisRequest): QrisGeneration {
  if (answer.httpStatus !== 200) return readRefusal(answer);
  if (!isDone(answer)) return unknownBy(answer);
  const code = generated.safeParse(answer.body);
  if (!code.success) return unreadable();
  const { referenceNo, partnerReferenceNo, qrContent } = code.data;
  if (partnerReferenceNo !== undefined && partnerReferenceNo !== request.partnerReference) return aboutAnother();
  return { outcome: 'succeeded', railReference: referenceNo, payload: qrContent };
}

function readCancel(answer: SnapAnswer): { outcome: 'succeeded' } | RefusedOutcome | NotFoundOutcome | UnknownOutcome {
  return isDone(answer) ? { outcome: 'succeeded' } : readRefusalOrNotFound(answer, NOT_FOUND_CASES);
}

const STATE: PaymentStateForm = {
  notFoundCases: NOT_FOUND_CASES,
  amount: z.object({ amount: snapAmount.optional() }).transform((body) => body.amount),
  whose: "the acquirer's status of the code",
};

export function readState(answer: SnapAnswer, code: QrisName): QrisInquiry {
  return readPaymentState(answer, code.partnerReference, STATE);
}

/** The merchant's name and the tip are not SNAP's; acquirers take such things as additional information. */
function toBody(request: QrisRequest, merchantId: string): object {
  const { partnerReference, amountSen, tip, merchantName, merchantCity, expiresAtMs } = request;
  return {
    partnerReferenceNo: partnerReference,
    amount: toSnapAmount(amountSen),
    merchantId,
    validityPeriod: jakartaIso(expiresAtMs),
    additionalInfo: { merchantName, merchantCity, ...(tip !== undefined && { tip: toTip(tip) }) },
  };
}

function toTip(tip: QrisTip): object {
  switch (tip.indicator) {
    case 'input':
      return { indicator: 'input' };
    case 'fixed':
      return { indicator: 'fixed', value: formatSen(tip.amountSen) };
    case 'percentage':
      return { indicator: 'percentage', basisPoints: tip.basisPoints };
    default:
      return tip satisfies never;
  }
}
