import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { openPhone, type Phone } from '../support/browser.ts';
import { type MerchantClient, signIn } from '../support/merchant-client.ts';
import { newPaymentLink, pay } from '../support/payment-link.ts';

const IMAGES = path.resolve(import.meta.dirname, '../../docs/images');
const SHOP = 'https://toko.example/selesai';

let system: System;
let merchant: MerchantClient;
let account: string;
let phone: Phone;

beforeAll(async () => {
  system = await startSystem({ name: 'checkout' });
  merchant = await signIn(system.demo.base_url, system.demo);
  [account] = system.demo.account_ids;
  phone = await openPhone({ locale: 'id-ID' });
}, 120_000);

afterAll(async () => {
  await phone?.close();
  await system?.stop();
}, 60_000);

/** Kept for the documentation only where it is asked for: rendering differs a little between machines. */
async function picture(page: Page, name: string, options: { fullPage: boolean } = { fullPage: true }): Promise<void> {
  if (process.env.UPDATE_IMAGES !== 'true') return;
  await page.screenshot({ path: path.join(IMAGES, `checkout-${name}.png`), animations: 'disabled', ...options });
}

async function open(body: Record<string, unknown> = {}): Promise<Page> {
  const { url } = await newPaymentLink(merchant, account, { success_redirect_url: SHOP, ...body });
  const page = await phone.context.newPage();
  // The shop is nobody's: what matters is where the customer is led.
  await page.route(`${SHOP}**`, (route) => route.fulfill({ body: 'Terima kasih' }));
  await page.goto(url);
  return page;
}

const digitsOf = async (page: Page, id: string) => ((await page.locator(`#${id}`).textContent()) ?? '').replace(/\D/g, '');

describe('a payment link on a phone', () => {
  test('by virtual account: number shown, paid at the bank, success, back to the shop', async () => {
    const page = await open({ description: 'Pesanan #1042, diantar hari ini' });
    await page.getByText('Transfer virtual account').click();
    await picture(page, 'choose-id', { fullPage: false });
    await page.getByLabel('BCA Virtual Account').check();
    await page.getByRole('button', { name: 'Lanjutkan' }).click();
    await page.getByRole('heading', { name: 'Transfer ke Bank Central Asia' }).waitFor();
    await picture(page, 'virtual-account');
    await pay(system.demo.simulator_url, `virtual-accounts/${await digitsOf(page, 'va-number')}/pay`, { amount: 30_000 });
    await page.getByRole('heading', { name: 'Pembayaran berhasil' }).waitFor();
    await picture(page, 'paid');
    const session = new URL(page.url()).pathname.split('/').at(-1);
    await page.waitForURL(`${SHOP}?reff_no=${session}`);
  });
});
