import { en } from './en.ts';
import { id } from './id.ts';

/** The languages of the pages. */
export const LANGUAGES = ['id', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Every sentence of the pages in one language. */
export type Texts = typeof id;

/** The sentences of a language. */
export function textsOf(language: Language): Texts {
  return language === 'en' ? en : id;
}
