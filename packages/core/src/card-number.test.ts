import { expect, test } from 'vitest';
import { hasCardNumber, maskCardNumbers } from './card-number.ts';

test.each([
  ['Visa', '4811111111111114'],
  ['Visa, in groups', 'card 4811 1111 1111 1114 please'],
  ['Visa, with dashes', '4811-1111-1111-1114'],
  ['after another number', '12 4811 1111 1111 1114'],
  ['before another number', '4811 1111 1111 1114 12/29'],
  ['Visa, in fullwidth digits', 'card ４８１１１１１１１１１１１１１４'],
  ['Visa, in mathematical digits', '𝟜𝟠𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟜'],
  ['Visa, with zero-width spaces', '4811\u200b1111\u200b1111\u200b1114'],
  ['Visa, with a soft hyphen in a group', '48\u00ad11111111111114'],
  ['Visa, with minus signs', '4811\u22121111\u22121111 \u2212 1114'],
  ['Visa, before a footnote sign', '4811111111111114\u00b9'],
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
  ['no Luhn digit, in fullwidth digits', '４８１１１１１１１１１１１１１５'],
  ['no brand', '9999999999999995'],
  ['a length that the brand does not have', '48111111111111114'],
  ['a part of a longer number', '00481111111111111400'],
  ['digits with letters between them', '4811a1111b1111c1114'],
  ['a phone number', '+62 812 3456 7890'],
])('no card number is found: %s', (_, text) => {
  expect(hasCardNumber(text)).toBe(false);
});

test.each([
  ['4811111111111114', '481111******1114'],
  ['4811 1111 1111 1114', '481111******1114'],
  ['paid 378282246310005, then 4811-1111-1111-1114.', 'paid 378282******0005, then 481111******1114.'],
  ['4000000000000000006', '400000******0006'],
  ['12 4811 1111 1111 1114 12/29', '12 481111******1114 12/29'],
  ['4811 1111 1111 1114 5555 5555 5555 4444', '481111******1114 555555******4444'],
  ['card4811111111111114x', 'card481111******1114x'],
  ['4811\n1111\n1111\n1114', '481111******1114'],
  ['{"text":"4811\\n1111\\n1111\\r\\n1114"}', '{"text":"481111******1114"}'],
  ['“４８１１ 1111\u22121111\u200b1114”', '“481111******1114”'],
  ['é 𝟜𝟠𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟜 é', 'é 481111******1114 é'],
  ['4111111111111111abcdef01', '411111******1111abcdef01'],
  ['abcdefaa4111111111111111', 'abcdefaa411111******1111'],
  ['4111111111111111ABCDEFGHJK', '411111******1111ABCDEFGHJK'],
])('%j is masked', (text, masked) => {
  expect(maskCardNumbers(text)).toBe(masked);
});

test.each([
  ['digits that are no card number', '4811111111111115'],
  ['a part of a longer number', '00481111111111111400'],
  ['the id of a document', 'a4811111111111114bcdef01'],
  ['a ULID', '01H4811111111111114ABCDEFG'],
  ['the id of a trace', '4811111111111114c0ffee00deadbeef'],
  ['a hash', 'a4811111111111114bcdef0123456789a4811111111111114bcdef0123456789'],
])('%s stays', (_, text) => {
  expect(maskCardNumbers(text)).toBe(text);
});

test('a random id of 36 digits stays: only whole runs of 13 to 19 digits are card numbers', () => {
  let masked = 0;
  let seed = 7;
  const digit = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return String(seed % 10);
  };
  for (let i = 0; i < 10_000; i++) {
    const id = Array.from({ length: 36 }, digit).join('');
    if (maskCardNumbers(id) !== id) masked++;
  }
  expect(masked).toBe(0);
});
