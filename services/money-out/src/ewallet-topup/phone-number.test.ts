import { RefusalError } from '@gerbang/core';
import { expect, test } from 'vitest';
import { normalizePhoneNumber } from './phone-number.ts';

test.each([
  '081234567890',
  '6281234567890',
  '+6281234567890',
  '+62 812 3456 7890',
  '62-812-3456-7890',
  '0812.3456.7890',
  ' (0812) 3456-7890 ',
])('%j is one number', (text) => expect(normalizePhoneNumber(text)).toBe('6281234567890'));

test.each(['08123456789', '081234567', '0812345678901'])('%s has as many digits as a mobile number may have', (text) => {
  expect(normalizePhoneNumber(text)).toBe(`62${text.slice(1)}`);
});

test.each([
  '',
  '0',
  '08123456',
  '08123456789012',
  '0211234567',
  '+6281234567890123',
  '+60123456789',
  '+081234567890',
  '62+81234567890',
  '08l234567890',
  '٠٨١٢٣٤٥٦٧٨٩٠',
])('%j is none', (text) => {
  expect(() => normalizePhoneNumber(text)).toThrow(RefusalError);
});
