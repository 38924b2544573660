import path from 'node:path';
import { accessibilityProblems } from '@gerbang/testkit/accessibility';
import { type Device, openPhone } from '@gerbang/testkit/browser';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import type { EwalletChannel, PaymentMethodCode } from '../support/api.d.ts';
import { accepted, call, type MerchantClient, signIn } from '../support/merchant-client.ts';
import { newPaymentLink, pay } from '../support/payment-link.ts';

const IMAGES = path.resolve(import.meta.dirname, '../../docs/images');
const SHOP = 'https://toko.example/selesai';

let system: System;
let merchant: MerchantClient;
let account: string;
let phone: Device;

beforeAll(async () => {
  [system, phone] = await Promise.all([startSystem({ name: 'checkout', shuffleUnsorted: true }), openPhone({ locale: 'id-ID' })]);
  merchant = await signIn(system.demo.base_url, system.demo);
  [account] = system.demo.account_ids;
}, 120_000);

afterAll(async () => {
  await phone?.close();
  await system?.stop();
}, 60_000);

/**
 * Every state that has a picture is also one that everybody must be able to use, on a narrow screen and without anything from
 * elsewhere.
 */
async function look(page: Page, name: string): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  // Kept for the documentation only where that is asked for: no two machines draw letters alike.
  if (process.env.UPDATE_IMAGES !== 'true') return;
  await page.screenshot({ path: path.join(IMAGES, `checkout-${name}.png`), animations: 'disabled', fullPage: true });
}

/** Requests that left for anywhere but the pages themselves. */
const foreign: string[] = [];

async function newPage(context: BrowserContext = phone.context): Promise<Page> {
  const page = await context.newPage();
  page.on('request', (request) => {
    const isOurs = request.url().startsWith(new URL(page.url() === 'about:blank' ? request.url() : page.url()).origin);
    if (!isOurs && !request.isNavigationRequest()) foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && message.text().includes('Content Security Policy')) foreign.push(message.text());
  });
  // The shop is nobody's: what matters is where the customer is led.
  await page.route(`${SHOP}**`, (route) => route.fulfill({ body: 'Terima kasih' }));
  return page;
}

async function open(body: Parameters<typeof newPaymentLink>[2] = {}, context?: BrowserContext): Promise<Page> {
  const { url } = await newPaymentLink(merchant, account, { success_redirect_url: SHOP, ...body });
  const page = await newPage(context);
  await page.goto(url);
  return page;
}

/** Opens a link for one method, and chooses that. */
async function choose(method: PaymentMethodCode, label: string): Promise<Page> {
  const page = await open({ payment_methods: [method] });
  await page.getByLabel(label).check();
  await page.getByRole('button', { name: 'Lanjutkan' }).click();
  return page;
}

const sandbox = (what: string, body: unknown) => pay(system.demo.simulator_url, what, body);
const digitsOf = async (page: Page, id: string) => ((await page.locator(`#${id}`).textContent()) ?? '').replace(/\D/g, '');
const sessionOf = (page: Page) => new URL(page.url()).pathname.split('/')[3] ?? '';
const paid = (page: Page) => page.getByRole('heading', { name: 'Pembayaran berhasil' }).waitFor();

/** What the merchant is told of the session on the page. */
async function historyOf(page: Page) {
  const path = { account_id: account };
  const { items } = await accepted(merchant.api.GET('/api/v1.0/payment-link-histories/{account_id}', { params: { path } }));
  const found = items.find(({ reff_no }) => reff_no === sessionOf(page));
  if (found === undefined) throw new Error(`no history of ${page.url()}`);
  return found;
}

describe('an e-wallet checkout on a phone', () => {
  const create = async (channel: EwalletChannel, body: { customer_phone?: string; expired_at?: number } = {}) => {
    const asked = { channel, amount: 45_000, success_redirect_url: SHOP, ...body };
    const params = { path: { account_id: account } };
    const made = merchant.api.POST('/api/v1.0/ewallet-checkout/{account_id}', { params, body: asked });
    const { checkout_url: url, transaction_id: id } = await accepted(made);
    return { url, id };
  };
  const statusOf = async (id: string) => {
    const params = { path: { account_id: account, transaction_id: id } };
    const shown = merchant.api.GET('/api/v1.0/ewallet-checkout/{account_id}/{transaction_id}', { params });
    return (await accepted(shown)).status;
  };

  test('is shown, confirmed in the wallet, and followed back to the shop', async () => {
    const { url, id } = await create('DANA');
    expect(url).toBe(`${system.demo.pay_url}/ewallet/${id}`);
    const page = await newPage();
    await page.goto(url);
    await page.getByText('Penerima Toko Demo').waitFor();
    await page
      .getByRole('timer')
      .getByText(/^(?:30|29):\d\d$/)
      .waitFor();
    await look(page, 'confirm');
    await page.getByRole('button', { name: 'Buka DANA' }).click();
    await page.getByRole('button', { name: 'Bayar' }).click();
    await paid(page);
    expect(await statusOf(id)).toBe('success');
    await look(page, 'confirm-paid');
    await page.waitForURL(SHOP);
  });

  test('says by itself that it was confirmed in the app', async () => {
    const { url, id } = await create('OVO', { customer_phone: '081234567890' });
    const page = await newPage();
    await page.goto(`${url}?lang=en`);
    await page.getByRole('heading', { name: 'Pay with OVO' }).waitFor();
    await sandbox(`ewallet/${id}/confirm`, { outcome: 'success' });
    await page.getByRole('heading', { name: 'Payment successful' }).waitFor();
  });

  test('without scripts: declined in the wallet, which says so', async () => {
    const plain = await openPhone({ locale: 'en-GB', javaScriptEnabled: false });
    try {
      const { url, id } = await create('GOPAY');
      const page = await newPage(plain.context);
      await page.goto(url);
      await page.getByRole('button', { name: 'Open GoPay' }).click();
      await page.getByRole('button', { name: 'Tolak' }).click();
      await page.getByRole('heading', { name: 'Payment failed' }).waitFor();
      expect(await statusOf(id)).toBe('failed');
    } finally {
      await plain.close();
    }
  });

  test('whose wallet has not answered tells to look into the app, where it can still be declined', async () => {
    const rail = `${system.demo.simulator_url}/sandbox/rails/ewallet`;
    await call('PUT', rail, JSON.stringify({ outcome: 'timeout' }));
    const { url, id } = await create('OVO', { customer_phone: '081234567890' }).finally(() => call('DELETE', rail));
    const page = await newPage();
    await page.goto(url);
    await page.getByText('Permintaan dikirim ke •••• 890').waitFor();
    await look(page, 'confirm-app');
    await sandbox(`ewallet/${id}/confirm`, { outcome: 'failed' });
    await page.getByRole('heading', { name: 'Pembayaran gagal' }).waitFor();
    await look(page, 'confirm-declined');
  });

  test('whose time is up says so by itself', async () => {
    const { url } = await create('DANA', { expired_at: Date.now() + 3_600_000 });
    const page = await newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'Buka DANA' }).waitFor();
    await call('POST', `${system.demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms: 61 * 60_000 }));
    await page.getByRole('heading', { name: 'Waktu pembayaran habis' }).waitFor();
    await look(page, 'confirm-expired');
  });
});

describe('a payment link on a phone', () => {
  test('by virtual account: number shown, paid at the bank, success, back to the shop', async () => {
    const page = await open({ description: 'Pesanan #1042, diantar hari ini' });
    await look(page, 'choose-id');
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Choose how to pay' }).waitFor();
    await look(page, 'choose-en');
    await page.getByRole('link', { name: 'Bahasa Indonesia' }).click();
    await page.getByText('Transfer virtual account').click();
    await page.getByLabel('BCA Virtual Account').check();
    await page.getByRole('button', { name: 'Lanjutkan' }).click();
    await page.getByRole('heading', { name: 'Transfer ke Bank Central Asia' }).waitFor();
    await page.getByText('Lewat BCA mobile').click();
    await look(page, 'virtual-account');
    const number = await digitsOf(page, 'va-number');
    await phone.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Salin' }).first().click();
    await page.getByRole('button', { name: 'Tersalin' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(number);
    await sandbox(`virtual-accounts/${number}/pay`, { amount: 30_000 });
    await paid(page);
    await look(page, 'paid');
    await page.waitForURL(`${SHOP}?reff_no=${sessionOf(page)}`);
  });

  test('by QRIS: the code counts down and is scanned', async () => {
    const page = await choose('QRIS', 'QRIS');
    await page.getByRole('img', { name: 'Kode QRIS' }).waitFor();
    await page
      .getByRole('timer')
      .getByText(/^1[45]:\d\d$/)
      .waitFor();
    await look(page, 'qris');
    const image = await fetch(`${page.url()}/qr.png`);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    const { payment_method_value: qrData } = await historyOf(page);
    await sandbox('qris/pay', { qr_data: qrData });
    await paid(page);
  });

  test('by e-wallet: over to the wallet’s page and back', async () => {
    const page = await choose('EWALLET_DANA', 'DANA');
    await page.getByRole('link', { name: 'Buka DANA' }).waitFor();
    await look(page, 'ewallet');
    await page.getByRole('link', { name: 'Buka DANA' }).click();
    await page.getByRole('button', { name: 'Bayar' }).click();
    await paid(page);
  });

  test('by an e-wallet that declines: the page says so and offers the others, until none is left', async () => {
    const page = await open({ payment_methods: ['EWALLET_DANA', 'EWALLET_GOPAY'] });
    for (const wallet of ['DANA', 'GoPay']) {
      await page.getByLabel(wallet).check();
      await page.getByRole('button', { name: 'Lanjutkan' }).click();
      await page.getByRole('link', { name: `Buka ${wallet}` }).click();
      await page.getByRole('button', { name: 'Tolak' }).click();
      if (wallet === 'GoPay') break;
      await page.getByRole('alert').getByText('tidak disetujui di DANA').waitFor();
      await look(page, 'declined');
    }
    await page.getByRole('heading', { name: 'Pembayaran gagal' }).waitFor();
    await look(page, 'failed');
  });

  test('at a shop: barcode and code, paid in cash', async () => {
    const page = await choose('RETAIL_ALFAMART', 'Alfamart');
    await page.getByRole('img', { name: 'Barcode' }).waitFor();
    await look(page, 'retail');
    await sandbox(`retail/${await digitsOf(page, 'payment-code')}/pay`, { amount: 30_000 });
    await paid(page);
  });

  test('in English; details that are wrong are shown beside their fields', async () => {
    const page = await open({ required_customer_detail: true, payment_methods: ['QRIS', 'EWALLET_OVO', 'VA_BRI'] });
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Choose how to pay' }).waitFor();
    await page.getByLabel('Full name').fill('Siti <b>Rahma</b>');
    await page.getByLabel('Email').fill('siti@');
    await page.getByLabel('OVO').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Full name').inputValue()).toBe('Siti <b>Rahma</b>');
    expect(await page.getByLabel('OVO').isChecked()).toBe(true);
    await look(page, 'errors');
    await page.getByLabel('Email').fill('siti@contoh.id');
    await page.getByLabel('Mobile number').fill('0812-3456-7890');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Approve in OVO' }).waitFor();
    expect(await historyOf(page)).toMatchObject({
      customer_name: 'Siti <b>Rahma</b>',
      customer_email: 'siti@contoh.id',
      customer_phone: '081234567890',
    });
  });

  test('without scripts: the same, with a link that looks again', async () => {
    const plain = await openPhone({ locale: 'en-GB', javaScriptEnabled: false });
    try {
      const page = await open({}, plain.context);
      await page.getByText('Virtual account transfer').click();
      await page.getByLabel('MANDIRI Virtual Account').check();
      await page.getByRole('button', { name: 'Continue' }).click();
      expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
      await sandbox(`virtual-accounts/${await digitsOf(page, 'va-number')}/pay`, { amount: 30_000 });
      await page.getByRole('link', { name: 'Check payment status' }).click();
      await page.getByRole('heading', { name: 'Payment successful' }).waitFor();
      expect(await page.getByRole('link', { name: 'Back to the shop' }).getAttribute('href')).toBe(
        `${SHOP}?reff_no=${sessionOf(page)}`,
      );
    } finally {
      await plain.close();
    }
  });

  test('that was deleted says so', async () => {
    const { id, url } = await newPaymentLink(merchant, account, {});
    const path = { account_id: account, payment_link_id: id };
    await accepted(merchant.api.DELETE('/api/v1.0/payment-link-manage/{account_id}/{payment_link_id}', { params: { path } }));
    const page = await newPage();
    expect((await page.goto(url))?.status()).toBe(410);
    await look(page, 'gone');
  });

  test('whose session ends while the customer waits says so by itself', async () => {
    const page = await choose('VA_BNI', 'BNI Virtual Account');
    await page.getByRole('heading', { name: 'Transfer ke Bank Negara Indonesia' }).waitFor();
    await call('POST', `${system.demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms: 16 * 60_000 }));
    await page.getByRole('heading', { name: 'Waktu pembayaran habis' }).waitFor();
    await look(page, 'expired');
    await page.getByRole('link', { name: 'Mulai lagi' }).click();
    await page.getByRole('heading', { name: 'Pilih metode pembayaran' }).waitFor();
  });

  describe('by card', () => {
    const CHARGED = '4411111111111118';
    const WITH_3DS = '4811111111111114';
    const openCard = async (body: Parameters<typeof open>[0] = {}, context?: BrowserContext) => {
      const page = await open({ payment_methods: ['CARD', 'QRIS'], ...body }, context);
      await page.getByLabel('Kartu kredit atau debit').check();
      await page.getByRole('button', { name: 'Lanjutkan' }).click();
      await page.getByRole('heading', { name: 'Bayar dengan kartu' }).waitFor();
      return page;
    };
    const fill = async (page: Page, number: string) => {
      await page.getByLabel('Nomor kartu').fill(number);
      await page.getByLabel('Berlaku hingga').fill('12/39');
      await page.getByLabel('Kode keamanan').fill('123');
      await page.getByLabel('Nama pada kartu').fill('SITI RAHMA');
    };
    const submit = (page: Page) => page.getByRole('button', { name: /^Bayar Rp/ }).click();
    const pay = async (page: Page, number: string) => {
      await fill(page, number);
      await submit(page);
    };
    const authenticate = async (page: Page, otp: string) => {
      await page.getByLabel('OTP').fill(otp);
      await page.getByRole('button', { name: 'Kirim' }).click();
    };
    const declined = (page: Page) => page.getByText('Kartu Anda tidak didebit').waitFor();
    /** What the acquirer holds for the last payment of the page's session. */
    const payments = async () => {
      const path = { account_id: account };
      const { items } = await accepted(merchant.api.GET('/api/v1.0/payment-link-histories/{account_id}', { params: { path } }));
      return items.filter(({ payment_method_value: value }) => value?.startsWith('99'));
    };

    test('without 3DS: errors beside fields, the brand as it is typed, success, back to the shop', async () => {
      const page = await openCard();
      await look(page, 'card');
      await submit(page);
      await page.getByRole('alert').waitFor();
      await look(page, 'card-errors');
      for (const [digits, brand] of [
        ['4', 'Visa'],
        ['2221', 'Mastercard'],
        ['34', 'American Express'],
        ['3528', 'JCB'],
        ['62', 'UnionPay'],
        ['300', 'Diners Club'],
        ['6011', 'Discover'],
        ['9', ''],
      ] as const) {
        await page.getByLabel('Nomor kartu').fill(digits);
        expect(await page.locator('[data-brand]').textContent()).toBe(brand);
      }
      await page.getByLabel('Nomor kartu').fill('');
      await page.getByLabel('Nomor kartu').pressSequentially(CHARGED);
      expect(await page.getByLabel('Nomor kartu').inputValue()).toBe('4411 1111 1111 1118');
      await page.getByLabel('Berlaku hingga').pressSequentially('1239');
      expect(await page.getByLabel('Berlaku hingga').inputValue()).toBe('12/39');
      await page.getByLabel('Kode keamanan').fill('123');
      await page.getByLabel('Nama pada kartu').fill('SITI RAHMA');
      await submit(page);
      await paid(page);
      const history = await historyOf(page);
      expect(history).toMatchObject({ status: 'paid', payment_method_name: 'CARD' });
      // It is a payment by card like any other, which the merchant can give back.
      const params = { path: { account_id: account, id: history.payment_method_value ?? '' } };
      const shown = await accepted(merchant.api.GET('/api/v2.0/card/{account_id}/inquiry-status/{id}', { params }));
      expect(shown).toMatchObject({ status: 'success', masked_card: '441111******1118' });
      await page.waitForURL(`${SHOP}?reff_no=${sessionOf(page)}`);
    });

    test('in English, with 3DS: a wrong OTP, then the right one', async () => {
      const page = await openCard();
      await page.getByRole('link', { name: 'English' }).click();
      await page.getByRole('heading', { name: 'Pay by card' }).waitFor();
      await look(page, 'card-en');
      await page.getByRole('link', { name: 'Bahasa Indonesia' }).click();
      await pay(page, WITH_3DS);
      await authenticate(page, '000000');
      await declined(page);
      await look(page, 'card-declined');
      await pay(page, WITH_3DS);
      await authenticate(page, '123456');
      await paid(page);
    });

    test('3DS of an issuer who takes customers by POST only', async () => {
      const page = await openCard();
      await pay(page, '4000000000003022');
      await page.getByRole('heading', { name: 'Konfirmasi di bank Anda' }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('button', { name: 'Lanjut ke bank' }).click();
      await authenticate(page, '123456');
      await paid(page);
    });

    test('3DS that is left: back, loaded again, and gone on with; a second page pays the same', async () => {
      const page = await openCard();
      const address = page.url();
      await pay(page, WITH_3DS);
      await page.getByLabel('OTP').waitFor();
      await page.goBack();
      await page.goto(address);
      await page.getByRole('heading', { name: 'Konfirmasi di bank Anda' }).waitFor();
      await look(page, 'card-bank');
      await page.reload();
      const second = await newPage();
      await second.goto(address);
      await second.getByRole('link', { name: 'Lanjut ke bank' }).click();
      await authenticate(second, '123456');
      await paid(second);
      // The first page hears of it by itself.
      await paid(page);
    });

    test('declined by the bank, with and without 3DS, then another method', async () => {
      const page = await openCard();
      await pay(page, '4911111111111113');
      await authenticate(page, '123456');
      await declined(page);
      await pay(page, '4472429869996670');
      await declined(page);
      await page.getByRole('link', { name: 'Ganti metode pembayaran' }).click();
      await page.getByLabel('QRIS').check();
      await page.getByRole('button', { name: 'Lanjutkan' }).click();
      const { payment_method_value: qrData } = await historyOf(page);
      await sandbox('qris/pay', { qr_data: qrData });
      await paid(page);
    });

    test('that is processed for a while is followed by itself', async () => {
      const page = await openCard();
      await pay(page, '4024007176265022');
      await page.getByRole('heading', { name: 'Menunggu hasil pembayaran' }).waitFor();
      await look(page, 'card-waiting');
      await paid(page);
    });

    test('submitted twice and by two pages is charged once', async () => {
      const before = (await payments()).length;
      const page = await openCard({ max_usage: 1 });
      const second = await newPage();
      await second.goto(page.url());
      await Promise.all([fill(page, CHARGED), fill(second, CHARGED)]);
      const button = '[type=submit]';
      await Promise.all([
        page.evaluate(`document.querySelector('${button}').click(); document.querySelector('${button}').click()`),
        submit(second),
      ]);
      await Promise.all([paid(page), paid(second)]);
      expect((await payments()).length).toBe(before + 1);
    });

    test('without scripts: 3DS, its success, and the way to the shop', async () => {
      const plain = await openPhone({ locale: 'id-ID', javaScriptEnabled: false });
      try {
        const page = await openCard({}, plain.context);
        await pay(page, WITH_3DS);
        await authenticate(page, '123456');
        await paid(page);
        expect(await page.getByRole('link', { name: 'Kembali ke toko' }).count()).toBe(1);
      } finally {
        await plain.close();
      }
    });
  });

  test('loads nothing from elsewhere, and its policy never stands in its own way', () => {
    expect(foreign).toEqual([]);
  });
});
