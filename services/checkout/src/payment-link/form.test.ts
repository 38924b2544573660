import { expect, test } from 'vitest';
import { en } from '../text/en.ts';
import { checkEntered } from './form.ts';

const GOOD = {
  customer_name: 'Sri Rahayu',
  customer_email: 'sri@example.com',
  customer_phone: '0812 3456 7890',
  payment_method: 'QRIS',
};
const asked = { methods: ['QRIS'], needsCustomer: true };

test('what a customer enters is taken', () => {
  expect(checkEntered(GOOD, asked, en)).toEqual({ values: { ...GOOD, customer_phone: '081234567890' } });
});

test.each([
  ['customer_name', '4811 1111 1111 1114', en.cardNumber],
  ['customer_name', 'Sri 378282246310005', en.cardNumber],
  ['customer_name', 'Sri \u202Eyahar', en.nameWrong],
  ['customer_email', '4811111111111114@example.com', en.cardNumber],
])('%s of %j is refused', (field, value, error) => {
  expect(checkEntered({ ...GOOD, [field]: value }, asked, en)).toEqual({ errors: { [field]: error } });
});
