import { AMOUNT_MAX_SEN, type FieldErrors } from '@gerbang/core';

/** The name of the product in merchants' lists of products and limits, and on statements. */
export const BILLER = 'biller';

/**
 * One version of a prepaid product: what it costs from one time to another, and what the rail knows it by. Amounts in sen, whole
 * rupiah; times in Unix milliseconds of business time.
 */
export type Product = {
  code: string;
  /** The kind of product, by which the API is told what to do: plntok, pulsa. */
  command: string;
  name: string;
  /** What the customer gets. */
  amountSen: bigint;
  adminSen: bigint;
  /** The rail's code of it. */
  railCode: string;
  /** What a customer's number looks like. */
  customer: { digitsMin: number; digitsMax: number; prefix: string };
  /** Whether a success has a token of 20 digits, which the customer types in. */
  givesToken: boolean;
  effectiveFromMs: number;
  /** Undefined: for ever. */
  effectiveUntilMs: number | undefined;
};

/** Longer than any customer's number. */
const DIGITS_MAX = 20;
const RUPIAH_SEN = 100n;

/**
 * The version that is in effect: of those that have begun and not ended, the one that began last. So a version that ends gives way
 * to the one before it.
 */
export function inEffect(versions: readonly Product[], nowMs: number): Product | undefined {
  return versions
    .filter((version) => isInEffect(version, nowMs))
    .reduce<Product | undefined>(
      (newest, version) => (newest === undefined || version.effectiveFromMs > newest.effectiveFromMs ? version : newest),
      undefined,
    );
}

function isInEffect({ effectiveFromMs, effectiveUntilMs }: Product, nowMs: number): boolean {
  return effectiveFromMs <= nowMs && (effectiveUntilMs === undefined || nowMs < effectiveUntilMs);
}

/** What is wrong with a customer's number; undefined where nothing is. */
export function whyNoCustomer({ customer }: Product, customerId: string): string | undefined {
  const { digitsMin, digitsMax, prefix } = customer;
  if (!/^[0-9]+$/.test(customerId) || customerId.length < digitsMin || customerId.length > digitsMax)
    return `must have ${digitsMin === digitsMax ? digitsMin : `${digitsMin} to ${digitsMax}`} digits`;
  return customerId.startsWith(prefix) ? undefined : `must begin with ${prefix}`;
}

/** What is wrong with a version that an operator sets, by field; empty where nothing is. */
export function problemsOf(product: Product): FieldErrors {
  const { customer, effectiveFromMs, effectiveUntilMs } = product;
  const errors: FieldErrors = {};
  const check = (field: string, holds: boolean, message: string) => {
    if (!holds) errors[field] = [message];
  };
  check('code', /^[A-Z0-9]{1,20}$/.test(product.code), 'must be 1 to 20 capital letters and digits');
  check('command', /^[a-z0-9]{1,20}$/.test(product.command), 'must be 1 to 20 small letters and digits');
  check('name', /^[\x20-\x7e]{1,100}$/.test(product.name), 'must be 1 to 100 printable characters');
  check('amount', isRupiah(product.amountSen) && product.amountSen > 0n, 'must be whole rupiah, more than 0');
  check('admin', isRupiah(product.adminSen), 'must be whole rupiah');
  check('rail_code', /^[\x21-\x7e]{1,40}$/.test(product.railCode), 'must be 1 to 40 printable characters without blanks');
  const { digitsMin, digitsMax, prefix } = customer;
  const isLength = Number.isInteger(digitsMin) && Number.isInteger(digitsMax) && digitsMin >= 1 && digitsMax >= digitsMin;
  check('customer_digits', isLength && digitsMax <= DIGITS_MAX, `must be from 1 to ${DIGITS_MAX}, the smaller one first`);
  check('customer_prefix', /^[0-9]*$/.test(prefix) && prefix.length <= digitsMin, 'must be digits, no more than the number has');
  check('effective_from', effectiveFromMs >= 0, 'must not be before 1970');
  check('effective_until', effectiveUntilMs === undefined || effectiveUntilMs > effectiveFromMs, 'must be after it begins');
  return errors;
}

function isRupiah(sen: bigint): boolean {
  return sen >= 0n && sen % RUPIAH_SEN === 0n && sen <= AMOUNT_MAX_SEN / 2n;
}
