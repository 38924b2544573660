import standard from './banking-holidays.json' with { type: 'json' };

/** The days on which banks settle: Monday to Friday, except holidays (dates in Asia/Jakarta, YYYY-MM-DD). */
export type BankingCalendar = { holidays: ReadonlySet<string> };

/** What an operator's list of holidays must be: `{"holidays": {"2026-01-01": "New Year", …}}`. */
export class BankingCalendarError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'BankingCalendarError';
  }
}

/**
 * Reads a list of holidays; other fields than `holidays` are ignored. Throws BankingCalendarError naming the date that is wrong.
 */
export function parseBankingCalendar(list: unknown): BankingCalendar {
  const holidays = isObject(list) ? list.holidays : undefined;
  if (!isObject(holidays)) throw new BankingCalendarError('holidays: must be an object of dates and names');
  for (const [date, name] of Object.entries(holidays)) {
    if (!isDate(date)) throw new BankingCalendarError(`holidays: ${date} is not a date (YYYY-MM-DD)`);
    if (typeof name !== 'string') throw new BankingCalendarError(`holidays: the name of ${date} must be a text`);
  }
  return { holidays: new Set(Object.keys(holidays)) };
}

/** Indonesia's holidays of 2026, and those expected of 2027; operators replace them by a list of their own. */
export const INDONESIAN_BANKING_CALENDAR: BankingCalendar = parseBankingCalendar(standard);

/** Whether banks settle on the date (YYYY-MM-DD). */
export function isBankingDay({ holidays }: BankingCalendar, date: string): boolean {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return weekday !== 0 && weekday !== 6 && !holidays.has(date);
}

/** Whether the list has any holiday of that year; none means that it was not entered yet. */
export function coversYear({ holidays }: BankingCalendar, year: number): boolean {
  const prefix = `${year}-`;
  return [...holidays].some((date) => date.startsWith(prefix));
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
