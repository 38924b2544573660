import { PayableStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { eventually } from '@gerbang/testkit';
import { describe, expect, test } from 'vitest';
import { heading, location, streamOf, useCheckout } from './harness.ts';

const world = useCheckout();
const NASTY = '<img src=x onerror="alert(1)">';

describe('an e-wallet checkout', () => {
  test('says what is paid to whom, how much and until when, and has one form, which leads to the wallet', async () => {
    const { path, confirmation } = world.newCheckout();
    const page = await world.get(path);
    expect([page.status, heading(page)]).toEqual([200, 'Bayar dengan DANA']);
    expect(page.text).toMatch(/Penerima <strong>Toko Demo<\/strong>/);
    expect(page.text).toMatch(/Rp30\.000/);
    expect(page.text).toMatch(/Bayar sebelum .*data-left-ms="8\d{5}"/s);
    expect(page.text.match(/<form /g)).toHaveLength(1);
    expect(page.text).toContain(`<form method="post" action="${path}">`);
    const sent = await world.post(path, {});
    expect([sent.status, location(sent)]).toEqual([303, confirmation.walletUrl]);
  });

  test('lets its form lead wherever a wallet with TLS leads on to, to a wallet without it alone, and nowhere else', async () => {
    const formTargets = async (walletUrl: string) => {
      const { headers } = await world.get(world.newCheckout({ walletUrl }).path);
      return /form-action ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1];
    };
    expect(await formTargets('https://dana.example/bayar')).toBe("'self' https:");
    expect(await formTargets('http://127.0.0.1:8070/ewallet/1')).toBe("'self' http://127.0.0.1:8070");
    expect(await formTargets('')).toBe("'self'");
    expect(await formTargets('javascript:alert(1)')).toBe("'self'");
  });

  test('whose wallet has no page tells to look into the app, and at which phone', async () => {
    const { path } = world.newCheckout({ walletUrl: '', channel: 'OVO', customerPhoneEnd: '890' });
    const page = await world.get(path, { 'accept-language': 'en' });
    expect(page.text).toMatch(/Open the OVO app/);
    expect(page.text).toMatch(/Request sent to •••• 890/);
    expect(page.text).not.toMatch(/<form/);
    expect(location(await world.post(path, {}))).toBe(path);
  });

  test('that was paid leads to the shop, by the address that the merchant gave', async () => {
    const successRedirectUrl = 'https://toko.example/ok?order=7';
    const over = { successRedirectUrl, paidAtMs: 1_795_276_800_000n };
    const page = await world.get(world.newCheckout(over, { status: PayableStatus.COMPLETED }).path);
    expect([page.status, heading(page)]).toEqual([200, 'Pembayaran berhasil']);
    expect(page.text).toContain(`href="${successRedirectUrl}"`);
    expect(page.text).toMatch(/Toko Demo/);
    expect(page.text).toMatch(/21 November 2026/);
    const nowhere = await world.get(
      world.newCheckout({ successRedirectUrl: 'javascript:alert(1)' }, { status: PayableStatus.COMPLETED }).path,
    );
    expect(nowhere.text).not.toMatch(/javascript:|data-shop/);
  });

  test.each([
    ['declined', { status: PayableStatus.FAILED }, 'Pembayaran gagal', /tidak disetujui di DANA/],
    ['expired', { status: PayableStatus.EXPIRED }, 'Waktu pembayaran habis', /pembayaran itu tetap masuk/],
    ['overdue', { expiredAtMs: 1n }, 'Waktu pembayaran habis', /pembayaran itu tetap masuk/],
  ])('that is %s says so, and leads to no wallet', async (_what, status, title, lead) => {
    const { path } = world.newCheckout({ successRedirectUrl: 'https://toko.example/ok' }, status);
    const page = await world.get(path);
    expect([page.status, heading(page)]).toEqual([200, title]);
    expect(page.text).toMatch(lead);
    expect(page.text).not.toMatch(/<form|dana\.example|toko\.example/);
    expect(location(await world.post(path, {}))).toBe(path);
  });

  test('that is unknown, or no checkout at all, is not found', async () => {
    const { path } = world.newSession();
    const paths = [`/ewallet/88${'0'.repeat(26)}`, '/ewallet/1', '/ewallet/88', `/ewallet/${path.split('/')[3]}`];
    for (const unknown of paths) {
      expect((await world.get(unknown)).status).toBe(404);
      expect((await world.post(unknown, {})).status).toBe(404);
      expect((await world.get(`${unknown}/events`)).status).toBe(404);
    }
  });

  test('is in the language that was chosen, also on the way back', async () => {
    const { path } = world.newCheckout({ walletUrl: '' });
    const page = await world.get(`${path}?lang=en`);
    expect(page.text).toMatch(/<html lang="en">/);
    expect(page.text).toContain(`data-here="${path}?lang=en"`);
    expect(location(await world.post(`${path}?lang=en`, {}))).toBe(`${path}?lang=en`);
  });

  test('escapes what came from outside, and keeps others out', async () => {
    const { path } = world.newCheckout({ merchantName: NASTY, channel: NASTY, customerPhoneEnd: NASTY });
    const page = await world.get(path);
    expect(page.text).not.toMatch(/<img src=x/);
    expect(page.text).not.toMatch(/ style=| on\w+="|<script(?! defer src="\/assets\/)/);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('set-cookie')).toBeNull();
  });

  test.each(['cross-site', 'same-site', 'none'])('is not opened by a form that comes from %s', async (site) => {
    const { path } = world.newCheckout();
    expect((await world.post(path, {}, { 'sec-fetch-site': site })).status).toBe(403);
    expect((await world.post(path, {}, { 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  });

  test('tells how it stands, and what becomes of it, then its stream ends', async () => {
    const service = await world.start();
    const { path, status } = world.newCheckout();
    const stream = await streamOf(`${service.url}${path}/events`);
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await eventually('open', () => /event: status\ndata: \{"phase":"open","remaining_ms":8\d{5}\}\n\n/.test(stream.text()));
    status.status = PayableStatus.FAILED;
    await stream.read;
    expect(stream.text()).toMatch(/"phase":"failed"/);
  });

  test('counts who goes on to the wallet, and not who only looks', async () => {
    const { url } = await world.start({ RATE_LIMIT_LINK_PER_MINUTE: '1' });
    const { path } = world.newCheckout();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const goOn = (to: string) => fetch(url + to, { method: 'POST', body: '', headers, redirect: 'manual' });
    for (const status of [303, 429]) expect((await goOn(path)).status).toBe(status);
    for (const status of [200, 200]) expect((await fetch(url + path)).status).toBe(status);
    expect((await goOn(world.newCheckout().path)).status).toBe(303);
  });

  test('is there for those who only ask for the head', async () => {
    const { url } = await world.start();
    expect((await fetch(url + world.newCheckout().path, { method: 'HEAD' })).status).toBe(200);
  });
});

test('a session says whom its customer pays, and so does its receipt', async () => {
  const open = await world.get(world.newSession().path);
  expect(open.text).toMatch(/Penerima <strong>Toko Demo<\/strong>/);
  const paid = await world.get(world.newSession({}, { status: PayableStatus.COMPLETED }).path);
  expect(paid.text).toMatch(/<dt>Penerima<\/dt><dd>Toko Demo<\/dd>/);
});
