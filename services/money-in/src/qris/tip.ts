import { type QrisTip, tipSen } from '@gerbang/core';
import type { PaymentRequest } from '../payment-request/request.ts';
import { asQris, type Tip } from './qris.ts';

/** The rule of a tip as core has it; undefined where there is none. */
export function tipRule({ indicator, value }: Tip): QrisTip | undefined {
  switch (indicator) {
    case 'none':
      return undefined;
    case 'fixed':
      return { indicator, amountSen: value };
    case 'percentage':
      return { indicator, basisPoints: Number(value) };
    case 'input':
      return { indicator };
    default:
      return indicator satisfies never;
  }
}

/** Whether a payment's tip is what the code asks for. */
export function tipFits({ details, state }: PaymentRequest, paidTipSen: bigint): boolean {
  return tipSen(tipRule(asQris(details).tip), state.minSen, paidTipSen) === paidTipSen;
}

/** SNAP's inquiry gives the whole amount; what is above the code's own is the tip where the code takes one. */
export function tipWithin({ details, state }: PaymentRequest, amountSen: bigint): bigint {
  const takesTip = asQris(details).tip.indicator !== 'none';
  return takesTip && amountSen > state.minSen ? amountSen - state.minSen : 0n;
}
