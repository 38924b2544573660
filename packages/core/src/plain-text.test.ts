import { expect, test } from 'vitest';
import { isPlainText } from './plain-text.ts';

test.each(['', 'Warung Bu Sri', 'Café – 東京', 'order\u0085', 'a\u200Eb'])('%j is plain', (text) => {
  expect(isPlainText(text)).toBe(true);
});

test.each(['a\nb', 'tab\t', '\u0000', '\u007F', 'a\u202Eb', '\u202A', '\u2066x', 'x\u2069'])('%j is not plain', (text) => {
  expect(isPlainText(text)).toBe(false);
});
