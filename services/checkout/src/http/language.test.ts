import { expect, test } from 'vitest';
import { preferredLanguage } from './language.ts';

test.each([
  [undefined, 'id'],
  ['', 'id'],
  ['en', 'en'],
  ['en-GB,en;q=0.9', 'en'],
  ['id-ID,id;q=0.9,en;q=0.8', 'id'],
  ['ja,en;q=0.5,id;q=0.7', 'id'],
  ['ja, en;q=0.5', 'en'],
  ['en;q=0, id;q=0.1', 'id'],
  ['in', 'id'],
  ['en;q=2', 'id'],
  ['toString,__proto__', 'id'],
  ['*', 'id'],
])('a browser that asks for %j gets %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
