import { createHash } from 'node:crypto';
import { canonicalJson, decodeQris, isRefusal, nationalMerchantId, newUlid } from '@gerbang/core';

/** What the payment of a code has of its own in a transfer, whose amount is amount and tip. Sen. */
export type QrisPaymentDetails = { qrData: string; amountSen: bigint; tipSen: bigint };

/** The name of the product in documents and in merchants' lists of products, fees and limits. */
export const QRIS_ISSUER = 'qris-issuer';

/** The QRIS prefix of transaction ids (merchant-api.md) and a ULID. */
export function newTransactionId(nowMs: number): string {
  return `66${newUlid(nowMs)}`;
}

/** SHA-256 of the validated content, lowercase hex: what makes two orders under one reference the same one (contract §2). */
export function contentHash({ qrData, amountSen, tipSen }: QrisPaymentDetails): string {
  const json = { product: QRIS_ISSUER, qrData, amountSen: amountSen.toString(), tipSen: tipSen.toString() };
  return createHash('sha256').update(canonicalJson(json)).digest('hex');
}

/** The merchant who shows the code, by its national id; the code itself where it names none. */
export function beneficiaryOf({ qrData }: QrisPaymentDetails): string {
  const code = decodeQris(qrData);
  return (isRefusal(code) ? undefined : nationalMerchantId(code)) ?? qrData;
}
