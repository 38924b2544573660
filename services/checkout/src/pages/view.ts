import { formatSen } from '@gerbang/core';
import type { Assets } from '../assets.ts';
import type { Texts } from '../text/id.ts';
import type { Language } from '../text/texts.ts';

/** What every page needs to know of the visit. */
export type View = {
  texts: Texts;
  language: Language;
  /** The customer has switched to it; then every address of ours carries it on. */
  isChosen: boolean;
  /** The page's own path, without a query. */
  path: string;
  assets: Pick<Assets, 'url' | 'integrity'>;
};

/** An address of ours, in the visit's language. */
export function linkTo(view: Pick<View, 'language' | 'isChosen'>, path: string, parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...parameters, ...(view.isChosen && { lang: view.language }) }).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** For instance "Rp30.000" or "IDR 30,000"; cents only where there are some. */
export function formatRupiah(sen: bigint, texts: Texts): string {
  const [whole = '', cents = '00'] = formatSen(sen).split('.');
  return texts.rupiah(whole.replace(/\B(?=(?:\d{3})+$)/g, ','), cents);
}

const clockTime = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Jakarta', hour: '2-digit', minute: '2-digit' });
const dates: Record<Language, Intl.DateTimeFormat> = {
  id: new Intl.DateTimeFormat('id-ID', { timeZone: 'Asia/Jakarta', day: 'numeric', month: 'long', year: 'numeric' }),
  en: new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Jakarta', day: 'numeric', month: 'long', year: 'numeric' }),
};

/** The time of day in Jakarta. */
export function formatTime(ms: number, texts: Texts): string {
  return texts.time(clockTime.format(ms));
}

/** Day and time in Jakarta. */
export function formatDateTime(ms: number, { texts, language }: Pick<View, 'texts' | 'language'>): string {
  return `${dates[language].format(ms)}, ${formatTime(ms, texts)}`;
}

/** Minutes and seconds, as a countdown shows them. */
export function formatRemaining(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return `${hours > 0 ? `${hours}:` : ''}${two(minutes)}:${two(seconds % 60)}`;
}

/** Digits in groups of four, easier to read and to type. */
export function groupDigits(digits: string): string {
  return digits.replace(/(\d{4})(?=\d)/g, '$1 ');
}
