import type { QrisTip } from '@gerbang/core';
import type { MoneyInRail } from '../money-in/rail.ts';

/** Something that a rail has been asked to take money for: a number or code that it holds itself, a QRIS code, a checkout. */
export type PaymentRequest = {
  rail: MoneyInRail;
  /** The partner's reference, unique on the rail. */
  reference: string;
  /** The rail's own reference. */
  referenceNo: string;
  /** Partner, Jakarta day and external id of the request that made it. */
  externalKey: string;
  /** Of virtual accounts and retail codes. */
  number: string;
  /** Of QRIS codes. */
  payload: string;
  /** The exact amount without tip; undefined where the customer chooses within the bounds. */
  amountSen: bigint | undefined;
  bounds: { minSen: bigint; maxSen: bigint } | undefined;
  tip: QrisTip | undefined;
  usageMax: number | undefined;
  /** Where a customer goes after a checkout; may be empty. */
  returnUrl: string;
  /** Unix milliseconds of business time; undefined = never. */
  expiresAtMs: number | undefined;
  canceled: boolean;
};
