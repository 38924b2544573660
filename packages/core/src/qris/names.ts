import { characters } from './data-object.ts';
import type { Qris } from './qris.ts';

const NAME_CHARACTERS_MAX = 25;
const CITY_CHARACTERS_MAX = 15;
/** What stands for a name of which no letter can be written in ASCII; the name itself is in the other language. */
const NAMELESS = 'MERCHANT';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Letters that do not decompose into an ASCII letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ł: 'l',
  Ł: 'L',
};
const SIGNS: Readonly<Record<string, string>> = { '‘': "'", '’': "'", '“': '"', '”': '"', '–': '-', '—': '-', '…': '...' };

/**
 * How a merchant's name and city go into a code, however they are written. EMVCo allows printable ASCII alone in 59 and 60, so
 * letters lose their accents there, others are left out, and both are cut to 25 and 15 characters. Where that loses more than
 * length, the name as it is (NFC, cut likewise) goes into the template for another language (64). `language` is that of the name,
 * two letters of ISO 639.
 */
export function qrisNames(
  name: string,
  city: string,
  language = 'ID',
): Pick<Qris, 'merchantName' | 'merchantCity' | 'alternateLanguage'> {
  const [ownName, ownCity] = [tidy(name), tidy(city)];
  const merchantName = cut(toAscii(ownName), NAME_CHARACTERS_MAX) || NAMELESS;
  const merchantCity = cut(toAscii(ownCity), CITY_CHARACTERS_MAX) || 'INDONESIA';
  if (isAscii(ownName) && isAscii(ownCity)) return { merchantName, merchantCity };
  const [otherName, otherCity] = [cut(ownName, NAME_CHARACTERS_MAX), cut(ownCity, CITY_CHARACTERS_MAX)];
  return {
    merchantName,
    merchantCity,
    alternateLanguage: {
      language,
      merchantName: otherName === '' ? merchantName : otherName,
      ...(otherCity !== '' && { merchantCity: otherCity }),
      others: [],
    },
  };
}

/** Composed characters, no controls, single blanks. */
function tidy(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\p{Cc}/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}

function toAscii(text: string): string {
  const plain = text.normalize('NFKD').replace(/./gsu, (character) => LETTERS[character] ?? SIGNS[character] ?? character);
  return plain
    .replace(/[^\x20-\x7e]/gu, '')
    .replace(/ +/g, ' ')
    .trim();
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** At most so many characters, and no half of what is read as one sign. */
function cut(text: string, max: number): string {
  let kept = '';
  let length = 0;
  for (const { segment } of graphemes.segment(text)) {
    length += characters(segment);
    if (length > max) break;
    kept += segment;
  }
  return kept.trimEnd();
}
