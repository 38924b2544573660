import { decodeQris, isRefusal, type Qris, RefusalError, refuseField, tipSen } from '@gerbang/core';

/** Of one payment, without tip (contract §5): what QRIS allows. Operators' limits of a merchant come on top. */
const AMOUNT_MIN_SEN = 1_000_00n;
const AMOUNT_MAX_SEN = 10_000_000_00n;

/** What a payment of a code comes to, sen. `amountSen` is undefined where neither the code nor the payer has named it yet. */
export type Terms = { amountSen: bigint | undefined; tipSen: bigint };

/** The code that a payload is. Refusals: validation of qr_data. */
export function readCode(payload: string): Qris {
  const code = decodeQris(payload);
  if (isRefusal(code)) throw new RefusalError(code);
  return code;
}

/**
 * What the payer of a code pays. A code's own amount and tip hold; the payer may repeat them, and names what the code leaves
 * open. Refusals: validation of amount or tip.
 */
export function termsOf(code: Qris, given: { amountSen?: bigint | undefined; tipSen?: bigint | undefined }): Terms {
  const amountSen = code.amountSen ?? given.amountSen;
  if (given.amountSen !== undefined && given.amountSen !== amountSen) throw wrong('amount', 'is not the amount of the code');
  if (amountSen === undefined) {
    if (given.tipSen !== undefined) checkTip(code, 0n, given.tipSen);
    return { amountSen, tipSen: 0n };
  }
  if (amountSen < AMOUNT_MIN_SEN) throw wrong('amount', 'must be at least 1000.00');
  if (amountSen > AMOUNT_MAX_SEN) throw wrong('amount', 'must be at most 10000000.00');
  const tip = tipSen(code.tip, amountSen, given.tipSen);
  if (given.tipSen !== undefined) checkTip(code, tip, given.tipSen);
  if (amountSen + tip > AMOUNT_MAX_SEN) {
    throw wrong(given.tipSen === undefined ? 'amount' : 'tip', 'must be at most 10000000.00 together with the tip');
  }
  return { amountSen, tipSen: tip };
}

/** The same where the amount has to be known by now. */
export function completeTermsOf(code: Qris, given: Parameters<typeof termsOf>[1]): { amountSen: bigint; tipSen: bigint } {
  const { amountSen, tipSen: tip } = termsOf(code, given);
  if (amountSen === undefined) throw wrong('amount', 'is required: the code leaves it to the payer');
  return { amountSen, tipSen: tip };
}

function checkTip({ tip }: Qris, dueSen: bigint, givenSen: bigint): void {
  if (tip === undefined) throw wrong('tip', 'the code asks for none');
  if (tip.indicator !== 'input' && dueSen !== givenSen) throw wrong('tip', 'is not the tip of the code');
}

function wrong(field: string, message: string): RefusalError {
  return new RefusalError(refuseField(field, message));
}
