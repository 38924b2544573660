import { expect, test } from 'vitest';
import { webUrlProblem } from './web-url.ts';

test.each([
  'https://shop.example',
  'HTTPS://shop.example/thanks?order=1&x=@#paid',
  'https://shop.example:8443/a@b',
  'https://[2001:db8::1]/x',
  'https://toko.example/terima-kasih/%E2%80%AE',
])('%s is one', (url) => expect(webUrlProblem(url, { httpAllowed: false })).toBeUndefined());

test.each([
  ['', 'must be an https URL'],
  ['//shop.example', 'must be an https URL'],
  ['https:shop.example', 'must be an https URL'],
  ['https:///shop.example', 'must be an https URL'],
  ['https:\\\\shop.example', 'must be an https URL'],
  ['javascript:alert(1)', 'must be an https URL'],
  ['http://shop.example', 'must be an https URL'],
  [' https://shop.example', 'must be an https URL'],
  ['https://shop.example/a b', 'must be a valid URL'],
  ['https://shop.example/\u00a0', 'must be a valid URL'],
  ['https://shop.example\\@evil.example', 'must be a valid URL'],
  ['https://shop.example/\n', 'must be a valid URL'],
  ['https://shop.example/\u0000', 'must be a valid URL'],
  ['https://shop.example/\u007f', 'must be a valid URL'],
  ['https://shop.example/\u202egnp.exe', 'must be a valid URL'],
  ['https://shop.example/\u2066', 'must be a valid URL'],
  ['https://shop.example:99999', 'must be a valid URL'],
  ['https://evil.example@shop.example/', 'must not carry credentials'],
  ['https://a:b@shop.example/', 'must not carry credentials'],
  [`https://shop.example/${'x'.repeat(2_048)}`, 'must have at most 2048 characters'],
])('%j: %s', (url, problem) => expect(webUrlProblem(url, { httpAllowed: false })).toBe(problem));

test('http where it is allowed', () => {
  expect(webUrlProblem('http://127.0.0.1:9/x', { httpAllowed: true })).toBeUndefined();
  expect(webUrlProblem('ftp://a', { httpAllowed: true })).toBe('must be an http or https URL');
});
