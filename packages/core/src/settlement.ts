import { type BankingCalendar, isBankingDay } from './banking-calendar.ts';
import { JAKARTA_OFFSET_MS } from './calendar.ts';

const DAY_MS = 86_400_000;
/** More than any run of holidays, so that a list that leaves no banking day is noticed. */
const DAYS_MAX = 366;

/**
 * When money in becomes available: a time after the payment, or a time of day (Asia/Jakarta) on the nth banking day after the day
 * of the payment.
 */
export type SettlementRule = { delayMs: number } | { bankingDays: number; minuteOfDay: number };

/** Rules of some products, and the one of all others. */
export type SettlementRules = { others: SettlementRule; byProduct: ReadonlyMap<string, SettlementRule> };

/** Contract §5: five seconds in the sandbox, T+1 09:00 Asia/Jakarta in production. */
export const SANDBOX_SETTLEMENT: SettlementRule = { delayMs: 5_000 };
export const PRODUCTION_SETTLEMENT: SettlementRule = { bankingDays: 1, minuteOfDay: 9 * 60 };

/**
 * When a payment settles, Unix milliseconds of business time; `paidAtMs` likewise. What is paid on a Saturday, a Sunday or a
 * holiday settles with what was paid on the banking day before it: T is the day of the payment, on any weekday.
 */
export function settlesAt(paidAtMs: number, rule: SettlementRule, calendar: BankingCalendar): number {
  if ('delayMs' in rule) return paidAtMs + rule.delayMs;
  let day = Math.floor((paidAtMs + JAKARTA_OFFSET_MS) / DAY_MS);
  for (let left = rule.bankingDays, looked = 0; left > 0; looked++) {
    if (looked > DAYS_MAX * rule.bankingDays) throw new Error('the list of holidays leaves no banking day');
    day++;
    if (isBankingDay(calendar, new Date(day * DAY_MS).toISOString().slice(0, 10))) left--;
  }
  return day * DAY_MS + rule.minuteOfDay * 60_000 - JAKARTA_OFFSET_MS;
}

/** The rule of a product. */
export function settlementRuleOf({ others, byProduct }: SettlementRules, product: string): SettlementRule {
  return byProduct.get(product) ?? others;
}

/**
 * Rules as operators write them: `product=rule`, separated by commas, `*` for all others, where a rule is `5s`, `30m`, `2h` or
 * `T+1 09:00`. For instance `*=T+1 09:00,card=T+2 09:00`. Undefined when it is none; `others` is the rule where `*` is not named.
 */
export function parseSettlementRules(text: string, others: SettlementRule): SettlementRules | undefined {
  const byProduct = new Map<string, SettlementRule>();
  for (const item of text.split(',').filter((one) => one.trim() !== '')) {
    const [, product, written = ''] = /^\s*(\*|[a-z][a-z0-9-]*)\s*=\s*(.+?)\s*$/.exec(item) ?? [];
    const rule = parseRule(written);
    if (product === undefined || rule === undefined || byProduct.has(product)) return undefined;
    byProduct.set(product, rule);
  }
  const forOthers = byProduct.get('*') ?? others;
  byProduct.delete('*');
  return { others: forOthers, byProduct };
}

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

function parseRule(text: string): SettlementRule | undefined {
  const [, amount, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const unitMs = unit === undefined ? undefined : UNITS_MS[unit];
  if (amount !== undefined && unitMs !== undefined) return { delayMs: Number(amount) * unitMs };
  const [, days, hour, minute] = /^T\+([1-9]|[12]\d|30) ([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (days === undefined || hour === undefined || minute === undefined) return undefined;
  return { bankingDays: Number(days), minuteOfDay: Number(hour) * 60 + Number(minute) };
}
