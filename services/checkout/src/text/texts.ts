import { en } from './en.ts';
import { id, type Texts } from './id.ts';

export type { Texts } from './id.ts';

/** The languages of the pages. */
export const LANGUAGES = ['id', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The sentences of a language. */
export function textsOf(language: Language): Texts {
  return language === 'en' ? en : id;
}
