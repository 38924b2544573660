/** Ids of merchants and accounts; none has a slash or a colon, so that names made of them stay unambiguous. */
export const ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * What a merchant account is made of; none of them ever falls below zero (architecture §4), except `owed`, which never rises
 * above it: a receivable, of what `available` was short of when a chargeback was opened. `reserve`: of chargebacks that are open.
 */
export const COMPARTMENTS = ['available', 'held', 'pending', 'reserve', 'owed'] as const;
export type Compartment = (typeof COMPARTMENTS)[number];

/** The system's own side of the chart, one set a partition; these may be negative. */
export const FEE_INCOME = 'fee-income';
export const VENDOR_FEES = 'vendor-fees';

/** The name of a compartment in the ledger: "<merchant>/<account>:available". System accounts have no slash. */
export function merchantAccount(merchantId: string, accountId: string, compartment: Compartment): string {
  const known = names.get(accountId);
  if (known?.merchantId === merchantId) return known[compartment];
  if (names.size >= NAMES_MAX) names.clear();
  const prefix = `${merchantId}/${accountId}`;
  const made = {
    merchantId,
    available: `${prefix}:available`,
    held: `${prefix}:held`,
    pending: `${prefix}:pending`,
    reserve: `${prefix}:reserve`,
    owed: `${prefix}:owed`,
  };
  names.set(accountId, made);
  return made[compartment];
}

/** By account id. A name is looked up many times for each posting, and a string that is kept keeps its hash, too. */
const names = new Map<string, Record<Compartment, string> & { merchantId: string }>();
const NAMES_MAX = 100_000;

/** Money on its way through a rail, for instance "rail:bank-transfer". */
export function railAccount(rail: string): string {
  return `rail:${rail}`;
}

/** Money that a rail has brought and that fits no account. */
export function suspenseAccount(rail: string): string {
  return `suspense:${rail}`;
}

/** Whether it is a receivable: negative, or zero. */
export function isReceivable(account: string): boolean {
  return account.endsWith(':owed');
}

/** Whether the account may be negative. */
export function isSystemAccount(account: string): boolean {
  return !account.includes('/');
}

/** Merchant and account of a compartment's name; undefined for the system's accounts. */
export function ownerOf(account: string): { merchantId: string; accountId: string } | undefined {
  const slash = account.indexOf('/');
  if (slash < 0) return undefined;
  return { merchantId: account.slice(0, slash), accountId: account.slice(slash + 1, account.lastIndexOf(':')) };
}
