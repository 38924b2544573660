import { canonicalJson, formatSen, type Json } from '@gerbang/core';
import type { Account } from '../account/account.ts';
import type { Merchant } from '../merchant/merchant.ts';

type Description = { [key: string]: Json };

/** A merchant as the audit log shows it: everything that operators decide, amounts in rupiah, never a secret. */
export function describeMerchant(merchant: Merchant): Description {
  return {
    name: merchant.name,
    partner_id: merchant.partnerId,
    frozen: merchant.frozen,
    partition: merchant.partition,
    products: [...merchant.products],
    ip_whitelist: [...merchant.ipWhitelist],
    credentials: merchant.credentials.map(({ clientId, active, generation, ipWhitelist }) => ({
      client_id: clientId,
      active,
      generation,
      ip_whitelist: [...ipWhitelist],
    })),
    fees: merchant.fees.map((fee) => ({
      product: fee.product,
      channel: fee.channel,
      fixed: formatSen(fee.fixedSen),
      basis_points: fee.basisPoints,
      minimum: formatSen(fee.minimumSen),
      maximum: formatSen(fee.maximumSen),
      vendor_fixed: formatSen(fee.vendorFixedSen),
      vendor_basis_points: fee.vendorBasisPoints,
      effective_from: new Date(fee.effectiveFromMs).toISOString(),
      effective_until: fee.effectiveUntilMs === 0 ? null : new Date(fee.effectiveUntilMs).toISOString(),
    })),
    limits: merchant.limits.map((limit) => ({
      product: limit.product,
      minimum: formatSen(limit.minimumSen),
      maximum: formatSen(limit.maximumSen),
      daily_maximum: formatSen(limit.dailyMaximumSen),
      monthly_maximum: formatSen(limit.monthlyMaximumSen),
    })),
  };
}

/** An account as the audit log shows it. */
export function describeAccount(account: Account): Description {
  return { name: account.name, is_default: account.isDefault, active: account.active, frozen: account.frozen };
}

/**
 * Of two descriptions, the parts that differ; and the version that the change was decided on, which tells an attempt from what
 * took effect.
 */
export function describeChange(version: bigint, before: Description, after: Description): { before: Json; after: Json } {
  const keys = Object.keys(after).filter((key) => canonicalJson(before[key] ?? null) !== canonicalJson(after[key] ?? null));
  const pick = (from: Description) => Object.fromEntries(keys.map((key) => [key, from[key] ?? null]));
  return { before: { version: Number(version), ...pick(before) }, after: { version: Number(version) + 1, ...pick(after) } };
}
