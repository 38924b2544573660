import { expect, test } from 'vitest';
import { hasCardNumber, isPlainText } from './plain-text.ts';

test.each(['', 'Warung Bu Sri', 'Café – 東京', 'order\u0085', 'a\u200Eb'])('%j is plain', (text) => {
  expect(isPlainText(text)).toBe(true);
});

test.each(['a\nb', 'tab\t', '\u0000', '\u007F', 'a\u202Eb', '\u202A', '\u2066x', 'x\u2069'])('%j is not plain', (text) => {
  expect(isPlainText(text)).toBe(false);
});

test.each([
  ['Visa', '4811111111111114'],
  ['Visa, in groups', 'card 4811 1111 1111 1114 please'],
  ['Visa, with dashes', '4811-1111-1111-1114'],
  ['after another number', '12 4811 1111 1111 1114'],
  ['before another number', '4811 1111 1111 1114 12/29'],
  ['Mastercard', '5555555555554444'],
  ['Mastercard of the second series', '2223003122003222'],
  ['American Express', '378282246310005'],
  ['JCB', '3530111333300000'],
  ['UnionPay', '6200000000000005'],
  ['Diners Club', '30569309025904'],
  ['Discover', '6011111111111117'],
])('a card number is found: %s', (_, text) => {
  expect(hasCardNumber(text)).toBe(true);
});

test.each([
  ['no Luhn digit', '4811111111111115'],
  ['no brand', '9999999999999995'],
  ['a length that the brand does not have', '48111111111111114'],
  ['a part of a longer number', '00481111111111111400'],
  ['digits with letters between them', '4811a1111b1111c1114'],
  ['a phone number', '+62 812 3456 7890'],
])('no card number is found: %s', (_, text) => {
  expect(hasCardNumber(text)).toBe(false);
});
