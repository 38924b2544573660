import { formatSen, parseAmount } from '@gerbang/core';
import { InvalidArgumentError } from 'commander';

/** Rupiah such as "150000" or "150000.50" as sen, more than 0. */
export function rupiah(text: string): bigint {
  const sen = parseAmount(text);
  if (sen === undefined) throw new InvalidArgumentError('Expected rupiah, such as 150000 or 150000.50.');
  return sen;
}

/** Rupiah as sen; 0 is allowed. */
export function rupiahOrZero(text: string): bigint {
  return /^0+(\.0{1,2})?$/.test(text) ? 0n : rupiah(text);
}

/** Sen as rupiah for people: "IDR 150000.50". */
export function toRupiah(sen: bigint): string {
  return `IDR ${formatSen(sen)}`;
}

/** A percentage with at most two decimals, such as "0.7", as hundredths of a percent. */
export function percent(text: string): number {
  if (!/^[0-9]{1,3}(\.[0-9]{1,2})?$/.test(text)) throw new InvalidArgumentError('Expected a percentage, such as 0.7.');
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

/** A moment in ISO 8601, as Unix milliseconds. */
export function moment(text: string): bigint {
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('Expected a date or time, such as 2027-01-01 or 2027-01-01T00:00:00+07:00.');
  return BigInt(ms);
}

/** How many lines to show, 1 to 1000. */
export function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1_000) throw new InvalidArgumentError('Expected a number from 1 to 1000.');
  return value;
}

/** Unix milliseconds as ISO 8601. */
export function toIso(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}
