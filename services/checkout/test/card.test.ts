import { PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { expect, test } from 'vitest';
import { useCheckout } from './harness.ts';

const { cards, get } = useCheckout();

test.each([
  [PaymentStatus.SUCCESS, 'Pembayaran berhasil', true],
  [PaymentStatus.FAILED, 'Pembayaran gagal', true],
  [PaymentStatus.REFUNDED, 'dibatalkan', true],
  [PaymentStatus.PENDING, 'Menunggu hasil', false],
  [PaymentStatus.PROCESSING, 'Menunggu hasil', false],
])('a customer comes back to a payment of status %s', async (status, said, leadsToShop) => {
  const page = cards.newPayment(status);
  const { text, headers, ...answer } = await get(page);
  expect([answer.status, headers.get('set-cookie')]).toEqual([200, null]);
  expect(text).toContain(said);
  expect(text.includes(`https://toko.example/selesai?order=7&amp;id=${page.slice('/card/'.length)}`)).toBe(leadsToShop);
  expect(headers.get('refresh')).toBe(leadsToShop ? null : '2');
});

test('what a visit brings with it says nothing of the payment', async () => {
  const page = cards.newPayment(PaymentStatus.PENDING);
  const cres = Buffer.from(JSON.stringify({ messageType: 'CRes', transStatus: 'Y' })).toString('base64url');
  expect((await get(`${page}?cres=${cres}&status=success`)).text).toContain('Menunggu hasil');
});

test('in English too, and nothing for what is unknown', async () => {
  const page = cards.newPayment(PaymentStatus.FAILED);
  expect((await get(page, { 'accept-language': 'en' })).text).toContain('Your card was not charged');
  for (const unknown of ['/card/9901M828K5KPJF8F0R0C8Y4EAGE7', '/card/nonsense']) expect((await get(unknown)).status).toBe(404);
});
