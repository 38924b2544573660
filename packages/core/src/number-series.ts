import { randomInt } from 'node:crypto';

/** Numbers that begin alike and are equally long. */
export type NumberSeries = { prefix: string; length: number };

/** Makes so many digits; passed in, so that domain code stays pure. */
export type NewDigits = (count: number) => string;

/** Digits that cannot be guessed. */
export function randomDigits(count: number): string {
  return Array.from({ length: count }, () => randomInt(10)).join('');
}

/** A number of the series: its prefix and new digits. Whether it is free is for its claim to say (architecture §3). */
export function newNumber({ prefix, length }: NumberSeries, newDigits: NewDigits): string {
  return prefix + newDigits(length - prefix.length);
}

/** Whether the number could be one of the series. */
export function isOfSeries(number: string, { prefix, length }: NumberSeries): boolean {
  return number.length === length && number.startsWith(prefix) && /^\d+$/.test(number);
}

/** Whether no number can be of two of the series. */
export function areDistinct(series: readonly NumberSeries[]): boolean {
  return series.every((one, i) =>
    series
      .slice(i + 1)
      .every(
        (other) => one.length !== other.length || !(one.prefix.startsWith(other.prefix) || other.prefix.startsWith(one.prefix)),
      ),
  );
}
