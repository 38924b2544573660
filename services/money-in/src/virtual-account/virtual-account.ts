import { type FieldErrors, type Refusal, refuseFields } from '@gerbang/core';
import { type Bounds, beyond } from '../payment-request/bounds.ts';
import { narrowTo } from '../payment-request/request.ts';

/** The kind and the product. */
export const VIRTUAL_ACCOUNT = 'virtual-account';
/** The banks' rail, on which numbers are claimed. */
export const VA_RAIL = 'va';

export type VirtualAccountDetails = {
  kind: typeof VIRTUAL_ACCOUNT;
  number: string;
  /** For instance "BCA". */
  bankCode: string;
  lifetime: 'temporary' | 'permanent';
  amountType: 'closed' | 'open';
  name: string;
};

export const asVirtualAccount = narrowTo<VirtualAccountDetails>(VIRTUAL_ACCOUNT);

/** Contract §5, unless operators have set the merchant's own. */
export const STANDARD_BOUNDS: Bounds = { minSen: 10_000_00n, maxSen: 50_000_000_00n };
export const MAX_USAGE_MAX = 255;

/** What a virtual account can be paid with, when and how often. Sen, Unix milliseconds. */
export type Terms = {
  isOpen: boolean;
  minSen: bigint;
  maxSen: bigint;
  maxUses: number | undefined;
  expiresAtMs: number | undefined;
};

/** The terms as a merchant asks for them; what does not belong to the amount type is ignored. */
export type AskedTerms = {
  isOpen: boolean;
  isTemporary: boolean;
  amountSen: bigint | undefined;
  minAmountSen: bigint | undefined;
  maxAmountSen: bigint | undefined;
  maxUsage: number | undefined;
  expiredAtMs: number | undefined;
};

/** Rules of merchant-api.md, virtual account, and of contract §5. Refusals: validation, naming every field that is wrong. */
export function decideTerms(asked: AskedTerms, bounds: Bounds, nowMs: number): Terms | Refusal {
  const errors: FieldErrors = {};
  const { isOpen, isTemporary, amountSen, minAmountSen, maxAmountSen, maxUsage, expiredAtMs } = asked;
  const check = (field: string, sen: bigint | undefined) => {
    const problem = sen === undefined ? 'is required' : beyond(bounds, sen);
    if (problem !== undefined) errors[field] = [problem];
  };
  if (isOpen) {
    check('min_amount', minAmountSen);
    check('max_amount', maxAmountSen);
    if (minAmountSen !== undefined && maxAmountSen !== undefined && maxAmountSen < minAmountSen)
      errors.max_amount = ['must be at least min_amount'];
  } else check('amount', amountSen);
  if (maxUsage === undefined ? isTemporary : maxUsage < 1 || maxUsage > MAX_USAGE_MAX)
    errors.max_usage = [maxUsage === undefined ? 'is required' : `must be from 1 to ${MAX_USAGE_MAX}`];
  if (expiredAtMs === undefined ? isTemporary : expiredAtMs <= nowMs)
    errors.expired_at = [expiredAtMs === undefined ? 'is required' : 'must be in the future'];
  if (Object.keys(errors).length > 0) return refuseFields(errors);
  const [minSen = 0n, maxSen = 0n] = isOpen ? [minAmountSen, maxAmountSen] : [amountSen, amountSen];
  return { isOpen, minSen, maxSen, maxUses: maxUsage, expiresAtMs: expiredAtMs };
}

/** What a change asks for; absent terms stay as they are. */
export type ChangedTerms = Omit<AskedTerms, 'isOpen' | 'isTemporary'>;

/**
 * The terms after a change. Only what is changed is checked again, so that one made under other limits can still be changed.
 * Refusals: validation.
 */
export function changeTerms(current: Terms, changed: ChangedTerms, bounds: Bounds, nowMs: number): Terms | Refusal {
  const wrongType = current.isOpen
    ? changed.amountSen !== undefined && { amount: ['an open virtual account has min_amount and max_amount'] }
    : (changed.minAmountSen !== undefined && { min_amount: ['a closed virtual account has only an amount'] }) ||
      (changed.maxAmountSen !== undefined && { max_amount: ['a closed virtual account has only an amount'] });
  if (wrongType) return refuseFields(wrongType);
  const asked = {
    isOpen: current.isOpen,
    isTemporary: false,
    amountSen: changed.amountSen ?? current.minSen,
    minAmountSen: changed.minAmountSen ?? current.minSen,
    maxAmountSen: changed.maxAmountSen ?? current.maxSen,
    maxUsage: changed.maxUsage,
    expiredAtMs: changed.expiredAtMs,
  };
  const untouched = { minSen: current.minSen, maxSen: current.maxSen };
  const terms = decideTerms(asked, changesAmount(changed) ? bounds : untouched, nowMs);
  if ('refused' in terms) return terms;
  return { ...terms, maxUses: terms.maxUses ?? current.maxUses, expiresAtMs: terms.expiresAtMs ?? current.expiresAtMs };
}

function changesAmount({ amountSen, minAmountSen, maxAmountSen }: ChangedTerms): boolean {
  return amountSen !== undefined || minAmountSen !== undefined || maxAmountSen !== undefined;
}
