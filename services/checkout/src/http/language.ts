import type { Language } from '../text/texts.ts';

/** Codes that browsers send for the languages we have; `in` is what old ones call Indonesian. */
const SPOKEN: Readonly<Record<string, Language>> = { id: 'id', in: 'id', ms: 'id', en: 'en' };

/** The language that a browser likes best among ours; Indonesian where it names none of them (RFC 9110, section 12.5.4). */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const ranges = (acceptLanguage ?? '').slice(0, 500).split(',').map(parseRange);
  for (const { code, weight } of ranges.toSorted((a, b) => b.weight - a.weight)) {
    const language = SPOKEN[code];
    if (language !== undefined && weight > 0) return language;
  }
  return 'id';
}

function parseRange(range: string): { code: string; weight: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const weight = quality === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0;
  const [code = ''] = tag.split('-', 1);
  return { code: Object.hasOwn(SPOKEN, code) ? code : '', weight };
}
