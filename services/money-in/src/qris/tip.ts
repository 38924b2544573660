import { type QrisTip, tipSen } from '@gerbang/core';
import { TipIndicator } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { QRIS } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';

/** The rule of a tip as core has it; undefined where there is none. */
export function toTip(indicator: TipIndicator, value: bigint): QrisTip | undefined {
  switch (indicator) {
    case TipIndicator.UNSPECIFIED:
      return undefined;
    case TipIndicator.FIXED:
      return { indicator: 'fixed', amountSen: value };
    case TipIndicator.PERCENTAGE:
      return { indicator: 'percentage', basisPoints: Number(value) };
    case TipIndicator.INPUT:
      return { indicator: 'input' };
    default:
      return indicator satisfies never;
  }
}

/** Whether a payment's tip is what the code asks for; nothing but a QRIS code has tips. */
export function tipFits({ details, state }: StoredPayable, paidTipSen: bigint): boolean {
  if (details.kind !== QRIS) return paidTipSen === 0n;
  return tipSen(toTip(details.tip_indicator, details.tip_value), state.minSen, paidTipSen) === paidTipSen;
}
