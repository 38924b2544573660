import { createHash } from 'node:crypto';
import { canonicalJson, formatSen, RefusalError, refuseField } from '@gerbang/core';
import { EWALLET_TOPUP_PROFILES, type EwalletTopupChannel, findEwalletTopupChannel } from '@gerbang/rails/ewallet-topup';

/** An e-wallet top-up's own part of a transfer. */
export type EwalletTopupDetails = {
  channel: EwalletTopupChannel;
  /** As the merchant wrote it. */
  phoneNumber: string;
  /** In its one form. */
  railPhoneNumber: string;
};

/** The name of the product in documents and in merchants' lists of products, fees and limits. */
export const EWALLET_TOPUP = 'ewallet-topup';

/** SHA-256 of the validated content, lowercase hex: what makes two orders under one reference the same one (contract §2). */
export function contentHash(details: EwalletTopupDetails, order: { amountSen: bigint; description: string }): string {
  const { channel, railPhoneNumber: phoneNumber } = details;
  const json = { product: EWALLET_TOPUP, channel, phoneNumber, amountSen: order.amountSen.toString(), note: order.description };
  return createHash('sha256').update(canonicalJson(json)).digest('hex');
}

/** The customer of the wallet, however the merchant wrote the number. */
export function beneficiaryOf({ channel, railPhoneNumber }: EwalletTopupDetails): string {
  return `${channel}:${railPhoneNumber}`;
}

/** The wallet of this name. Refusals: validation (channel). */
export function mustFindChannel(name: string): EwalletTopupChannel {
  const channel = findEwalletTopupChannel(name);
  if (channel === undefined) throw new RefusalError(refuseField('channel', 'is not the name of a known e-wallet'));
  return channel;
}

/**
 * Refuses what no customer of the wallet can be sent. What is too much depends on the customer, so the wallet says that (contract
 * §6). Refusals: validation (amount).
 */
export function mustReachMinimum(channel: EwalletTopupChannel, amountSen: bigint): void {
  const { minimumSen } = EWALLET_TOPUP_PROFILES[channel];
  if (amountSen < minimumSen)
    throw new RefusalError(refuseField('amount', `must be at least ${formatSen(minimumSen)} for ${channel}`));
}
