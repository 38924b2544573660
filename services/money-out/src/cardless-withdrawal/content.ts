import { createHash } from 'node:crypto';
import { canonicalJson, isVaBankCode, RefusalError, refuseField, type VaBankCode } from '@gerbang/core';

/** A cardless withdrawal's own part of a transfer. */
export type CardlessDetails = {
  /** Short name (contract §6). */
  bankCode: VaBankCode;
  phoneNumber: string;
  /** Business time, Unix milliseconds. */
  expiresAtMs: number;
};

/** The name of the product in documents and in merchants' lists of products, fees and limits. */
export const CARDLESS_WITHDRAWAL = 'cardless-withdrawal';

/** Machines give notes of 50,000, and 5,000,000 at most (contract §6). */
const AMOUNT_STEP_SEN = 50_000_00n;
const AMOUNT_MAX_SEN = 5_000_000_00n;
const LIFE_MS = 2 * 3_600_000;

/** The customer at the bank. */
export function beneficiaryOf({ bankCode, phoneNumber }: CardlessDetails): string {
  return `${bankCode}:${phoneNumber}`;
}

/** A bank whose machines give cash for codes. Refusals: validation of bank_code. */
export function mustBeBank(code: string): VaBankCode {
  if (!isVaBankCode(code)) throw new RefusalError(refuseField('bank_code', 'is not the short name of a known bank'));
  return code;
}

/** Refusals: validation of amount. */
export function mustBeDrawable(amountSen: bigint): void {
  if (amountSen > 0n && amountSen % AMOUNT_STEP_SEN === 0n && amountSen <= AMOUNT_MAX_SEN) return;
  throw new RefusalError(refuseField('amount', 'must be a multiple of 50000, at most 5000000'));
}

/** When a withdrawal that is ordered now ends by itself. */
export function expiryOf(expiredAtMs: bigint | undefined, nowMs: number): number {
  return expiredAtMs === undefined ? nowMs + LIFE_MS : Number(expiredAtMs);
}

/**
 * SHA-256 of the validated content, lowercase hex: what makes two orders under one reference the same one (contract §2). The
 * expiry is as the merchant wrote it: where it wrote none, a repetition has another one.
 */
export function contentHash(wanted: {
  bankCode: string;
  phoneNumber: string;
  amountSen: bigint;
  expiredAtMs?: bigint | undefined;
}): string {
  const { bankCode, phoneNumber, amountSen, expiredAtMs } = wanted;
  const json = {
    product: CARDLESS_WITHDRAWAL,
    bankCode,
    phoneNumber,
    amountSen: amountSen.toString(),
    expiredAtMs: expiredAtMs?.toString() ?? '',
  };
  return createHash('sha256').update(canonicalJson(json)).digest('hex');
}
