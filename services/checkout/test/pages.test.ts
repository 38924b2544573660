import { once } from 'node:events';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { create } from '@bufbuild/protobuf';
import { RefusalError, refuse } from '@gerbang/core';
import { PayableStatus, PaymentFiguresSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { createLogger } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { heading, location, streamOf, useCheckout } from './harness.ts';

const world = useCheckout();
const NASTY = '<img src=x onerror="alert(1)">';

afterEach(() => {
  delete world.scripted.choose;
  delete world.scripted.isReserved;
  delete world.scripted.waitForSession;
});

describe('opening a link', () => {
  test('makes a session with an address of its own; loading that again makes none', async () => {
    const link = world.newLink();
    const opened = await world.get(`/pay/${link.reffNo}`, { 'accept-language': 'en' });
    expect(opened.status).toBe(303);
    expect(location(opened)).toMatch(new RegExp(`^/pay/${link.reffNo}/PH[0-9A-Z]{26}$`));
    const before = world.sessions.size;
    for (let i = 0; i < 2; i++) expect((await world.get(location(opened))).status).toBe(200);
    expect(world.sessions.size).toBe(before);
    expect(world.sessions.get(location(opened).split('/').at(-1) ?? '')?.history.ipAddress).toBe('127.0.0.1');
  });

  test('keeps the language that was chosen', async () => {
    expect(location(await world.get(`/pay/${world.newLink().reffNo}?lang=en`))).toMatch(/\?lang=en$/);
  });

  test.each([
    ['unknown', () => `/pay/PL${'0'.repeat(26)}`, 404],
    ['no reference', () => '/pay/../../etc/passwd', 404],
    ['no link', () => '/pay/1234', 404],
    ['deleted', () => `/pay/${world.newLink({ status: PayableStatus.INACTIVE }).reffNo}`, 410],
    ['expired', () => `/pay/${world.newLink({ status: PayableStatus.EXPIRED }).reffNo}`, 410],
    ['used up', () => `/pay/${world.newLink({ status: PayableStatus.COMPLETED }).reffNo}`, 410],
  ])('that is %s says so', async (_what, path, status) => {
    const before = world.sessions.size;
    const page = await world.get(path());
    expect(page.status).toBe(status);
    expect(heading(page)).toBe(status === 404 ? 'Halaman tidak ditemukan' : 'Tautan tidak berlaku lagi');
    expect(world.sessions.size).toBe(before);
  });

  test('whose last use somebody has reserved says that it may be free again', async () => {
    world.scripted.isReserved = true;
    const page = await world.get(`/pay/${world.newLink().reffNo}`);
    expect([page.status, heading(page)]).toEqual([410, 'Pembayaran sedang berlangsung']);
  });

  test('is not what a browser does that only looks ahead, nor one that only asks for the head', async () => {
    const { reffNo } = world.newLink();
    const before = world.sessions.size;
    expect((await world.get(`/pay/${reffNo}`, { 'sec-purpose': 'prefetch;prerender' })).status).toBe(503);
    const service = await world.start();
    expect((await fetch(`${service.url}/pay/${reffNo}`, { method: 'HEAD' })).status).toBe(200);
    expect(world.sessions.size).toBe(before);
  });
});

describe('choosing a method', () => {
  test('is refused for a while where the address has held the link too often without paying', async () => {
    world.scripted.choose = () => Promise.reject(new RefusalError(refuse('rate_limited', { retryAfterMs: 90_000 })));
    const page = await world.post(world.newSession().path, { payment_method: 'QRIS' });
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '90']);
    expect(page.text).toMatch(/Terlalu banyak permintaan/);
  });

  test('offers what the link allows and customers can use today', async () => {
    const { text } = await world.get(world.newSession().path);
    expect([...text.matchAll(/value="([A-Z_]+)"/g)].map((match) => match[1])).toEqual(['QRIS', 'EWALLET_OVO', 'CARD', 'VA_BCA']);
  });

  test.each([
    ['VA_BCA', /7001 4123 4567 8901/],
    ['QRIS', /<svg[^>]*aria-label="Kode QRIS/],
    ['RETAIL_ALFAMART', /aria-label="Barcode kode pembayaran 7001412345678901"/],
    ['EWALLET_DANA', /Buka aplikasi DANA/],
  ])('%s, then its own page', async (method, shown) => {
    const { path } = world.newSession({ paymentMethods: [method] });
    const sent = await world.post(path, { payment_method: method });
    expect([sent.status, location(sent)]).toEqual([303, path]);
    const page = await world.get(path);
    expect(page.text).toMatch(shown);
    expect(page.text).toMatch(/Menunggu pembayaran/);
    expect((await world.get(`${path}?choose=1`)).text).toMatch(new RegExp(`value="${method}" checked`));
  });

  test.each([
    ['no method', {}, 'payment_method'],
    ['a method of another link', { payment_method: 'VA_BRI' }, 'payment_method'],
    ['OVO without a phone', { payment_method: 'EWALLET_OVO' }, 'customer_phone'],
    ['OVO with half a phone', { payment_method: 'EWALLET_OVO', customer_phone: '0812' }, 'customer_phone'],
  ])('%s is refused beside its field', async (_what, fields, field) => {
    const { path, history } = world.newSession();
    const page = await world.post(path, fields);
    expect(page.status).toBe(422);
    expect(page.text).toMatch(new RegExp(`id="${field}-error"`));
    expect(page.text).toMatch(new RegExp(`aria-describedby="${field}-error`));
    expect(history.paymentMethod).toBe('');
  });

  test.each([
    ['nothing', {}, ['customer_name', 'customer_email', 'customer_phone']],
    ['no email address', { customer_name: 'Siti', customer_email: 'siti', customer_phone: '081234567890' }, ['customer_email']],
    [
      'a name too long',
      { customer_name: 'x'.repeat(101), customer_email: 's@t.id', customer_phone: '081234567890' },
      ['customer_name'],
    ],
    [
      'a bell in a name',
      { customer_name: 'a\u0007b', customer_email: 's@t.id', customer_phone: '081234567890' },
      ['customer_name'],
    ],
    ['letters for a phone', { customer_name: 'Siti', customer_email: 's@t.id', customer_phone: 'delapan' }, ['customer_phone']],
  ])('details with %s are refused, what was entered is kept', async (_what, fields, wrong) => {
    const { path, history } = world.newSession({ requiredCustomerDetail: true });
    const page = await world.post(path, { payment_method: 'QRIS', ...fields });
    expect(page.status).toBe(422);
    expect([...page.text.matchAll(/id="(\w+)-error"/g)].map((match) => match[1])).toEqual(wrong);
    expect(page.text).toMatch(/value="QRIS" checked/);
    for (const value of Object.values(fields)) expect(page.text).toContain(`value="${value}"`);
    expect(history.paymentMethod).toBe('');
  });

  test('takes details where the link asks for them, and none where it does not', async () => {
    const details = { customer_name: ' Siti ', customer_email: 'siti@contoh.id', customer_phone: '+62 812-3456-7890' };
    const asked = world.newSession({ requiredCustomerDetail: true });
    expect((await world.post(asked.path, { payment_method: 'QRIS', ...details })).status).toBe(303);
    expect(asked.history).toMatchObject({
      customerName: 'Siti',
      customerEmail: 'siti@contoh.id',
      customerPhone: '+6281234567890',
    });
    const notAsked = world.newSession();
    expect((await world.post(notAsked.path, { payment_method: 'QRIS', ...details })).status).toBe(303);
    expect(notAsked.history).toMatchObject({ customerName: '', customerEmail: '', customerPhone: '' });
  });

  test.each([
    ['the rail says no', 'transaction_failed' as const, 503],
    ['the rail does not answer', 'unavailable' as const, 503],
    ['something is broken', 'internal' as const, 500],
    ['others have reserved the link', 'bad_request' as const, 410],
  ])('while %s', async (_what, code, status) => {
    world.scripted.choose = () => Promise.reject(new RefusalError(refuse(code, { message: 'a secret of the inside' })));
    const page = await world.post(world.newSession().path, { payment_method: 'QRIS' });
    expect(page.status).toBe(status);
    expect(page.text).not.toMatch(/secret/);
  });
});

test('a choice that comes too late shows how the session stands', async () => {
  const { path, history } = world.newSession();
  world.scripted.choose = () => {
    history.status = PayableStatus.EXPIRED;
    return Promise.reject(new RefusalError(refuse('bad_request')));
  };
  const sent = await world.post(path, { payment_method: 'QRIS' });
  expect([sent.status, location(sent)]).toEqual([303, path]);
});

describe('a session', () => {
  const figures = create(PaymentFiguresSchema, { amountSen: 30_000_00n, paidAtMs: 1_795_276_800_000n });

  test('that is paid leads to the shop', async () => {
    const shop = 'https://toko.example/ok?a=1&reff_no=old';
    const { path, history } = world.newSession(
      { successRedirectUrl: shop },
      { status: PayableStatus.COMPLETED, paymentMethod: 'QRIS', figures },
    );
    const page = await world.get(path);
    expect([page.status, heading(page)]).toEqual([200, 'Pembayaran berhasil']);
    expect(page.text).toContain(`href="https://toko.example/ok?a=1&amp;reff_no=${history.reffNo}"`);
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', '', 'nonsense'])(
    'that is paid never leads to %j',
    async (successRedirectUrl) => {
      const { path } = world.newSession({ successRedirectUrl }, { status: PayableStatus.COMPLETED, figures });
      const page = await world.get(path);
      expect([page.status, heading(page)]).toEqual([200, 'Pembayaran berhasil']);
      expect(page.text).not.toMatch(/data-shop|javascript:|data:text/);
    },
  );

  test.each([
    ['expired', { status: PayableStatus.EXPIRED }, 'Waktu pembayaran habis'],
    ['overdue', { expiredAtMs: 1n }, 'Waktu pembayaran habis'],
    ['failed', { status: PayableStatus.FAILED }, 'Pembayaran gagal'],
  ])('that is %s can be started again, not paid', async (_what, over, title) => {
    const { path, history } = world.newSession({}, { paymentMethod: 'VA_BCA', paymentMethodValue: '7001412345678901', ...over });
    const page = await world.get(path);
    expect([page.status, heading(page)]).toEqual([200, title]);
    expect(page.text).not.toMatch(/7001/);
    expect(page.text).toMatch(/Mulai lagi/);
    expect((await world.post(path, { payment_method: 'QRIS' })).status).toBe(303);
    expect(history.paymentMethod).toBe('VA_BCA');
  });

  test('whose wallet has declined offers the other methods; without any it has failed', async () => {
    const declined = { paymentMethod: 'EWALLET_DANA', declinedPaymentMethods: ['EWALLET_DANA'] };
    const { path, history } = world.newSession({ paymentMethods: ['EWALLET_DANA', 'QRIS'] }, declined);
    const page = await world.get(path);
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/role="alert"><p>Pembayaran tidak disetujui di DANA/);
    expect(page.text).not.toMatch(/value="EWALLET_DANA"/);
    expect((await world.post(path, { payment_method: 'EWALLET_DANA' })).status).toBe(422);
    expect((await world.post(path, { payment_method: 'QRIS' })).status).toBe(303);
    expect(history.paymentMethod).toBe('QRIS');
    expect((await world.get(path)).text).toMatch(/aria-label="Kode QRIS/);
    const last = world.newSession({ paymentMethods: ['EWALLET_DANA'] }, declined);
    expect(heading(await world.get(last.path))).toBe('Pembayaran gagal');
  });

  test('of another link, or of none, is not found', async () => {
    const [one, other] = [world.newSession(), world.newSession()];
    const mixed = `/pay/${one.path.split('/')[2]}/${other.history.reffNo}`;
    const guessed = one.path.slice(0, -1) + (one.path.endsWith('0') ? '1' : '0');
    for (const path of [mixed, `${mixed}/events`, `${mixed}/qr.png`, guessed, `${one.path}x`])
      expect((await world.get(path)).status).toBe(404);
    expect((await world.post(mixed, { payment_method: 'QRIS' })).status).toBe(404);
    expect(other.history.paymentMethod).toBe('');
  });

  test('of a link that is gone meanwhile can get no method, but keeps the one it has', async () => {
    const gone = { status: PayableStatus.INACTIVE };
    expect((await world.get(world.newSession(gone).path)).status).toBe(410);
    const chosen = { paymentMethod: 'VA_BCA', paymentMethodValue: '7001412345678901' };
    expect((await world.get(world.newSession(gone, chosen).path)).text).toMatch(/7001 4123/);
  });

  test('shows nothing that is not its own, and escapes whatever came from outside', async () => {
    const { path } = world.newSession(
      { title: NASTY, description: NASTY, merchantId: 'M-SECRET', accountId: 'A-SECRET', currentUsage: 4711 },
      { customerName: 'Siti Rahma', ipAddress: '10.9.8.7', paymentMethod: 'VA_BCA', paymentMethodValue: '7001412345678901' },
    );
    for (const page of [await world.get(path), await world.get(`${path}?choose=1&lang="><script>`)]) {
      expect(page.status).toBe(200);
      expect(page.text).not.toMatch(/<img src=x|"><script>|SECRET|4711|10\.9\.8\.7/);
      expect(page.text).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
    }
  });
});

describe('every page', () => {
  test('is in the language that the browser likes, or that was chosen', async () => {
    const { path } = world.newSession();
    const english = await world.get(path, { 'accept-language': 'en-US,en' });
    expect(english.text).toMatch(/<html lang="en">/);
    expect(english.headers.get('content-language')).toBe('en');
    expect(english.headers.get('vary')).toMatch(/accept-language/i);
    const chosen = await world.get(`${path}?lang=id`, { 'accept-language': 'en' });
    expect(chosen.text).toMatch(/<html lang="id">/);
    expect(chosen.text).toContain(`action="${path}?lang=id"`);
  });

  test('has the headers that keep others out, and no cookie', async () => {
    for (const path of [world.newSession().path, '/nothing', `/pay/${world.newLink({ status: PayableStatus.EXPIRED }).reffNo}`]) {
      const { headers, text } = await world.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none';/);
      expect(policy).not.toMatch(/unsafe|\*|http/);
      expect(policy).toMatch(/frame-ancestors 'none'/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('set-cookie')).toBeNull();
      expect(text).not.toMatch(/ style=| on\w+="|<script(?! defer src="\/assets\/)/);
    }
  });

  test('loads files that never change under their names', async () => {
    const { text } = await world.get(world.newSession().path);
    const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
    expect(new Set(files).size).toBe(3);
    for (const file of files) {
      const { status, headers } = await world.get(file);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
    expect((await world.get('/assets/other.js')).status).toBe(404);
  });
});

describe('a form', () => {
  test.each(['cross-site', 'same-site', 'none'])('that a browser says comes from %s is refused', async (site) => {
    const { path, history } = world.newSession();
    expect((await world.post(path, { payment_method: 'QRIS' }, { 'sec-fetch-site': site })).status).toBe(403);
    expect(history.paymentMethod).toBe('');
    expect((await world.post(path, { payment_method: 'QRIS' }, { 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  });

  test('that is none, or far too big, is refused', async () => {
    const { path } = world.newSession();
    expect((await world.post(path, { customer_name: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await world.post(path, {}, { 'content-type': 'application/json' })).status).toBe(415);
  });
});

describe('status streams', () => {
  test('tell how a session stands, and what becomes of it, then end', async () => {
    const service = await world.start();
    const { path, history } = world.newSession({}, { paymentMethod: 'QRIS', paymentMethodValue: '000201' });
    const stream = await streamOf(`${service.url}${path}/events`);
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.response.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
    await eventually('open', () => /event: status\ndata: \{"phase":"open","remaining_ms":8\d{5}\}\n\n/.test(stream.text()));
    history.status = PayableStatus.COMPLETED;
    await stream.read;
    expect(stream.text()).toMatch(/"phase":"paid"/);
  });

  test('are limited, for each address and in all; places of pages that went away are free again', async () => {
    const service = await world.start({ STATUS_STREAMS_ADDRESS_MAX: '1' });
    const url = `${service.url}${world.newSession().path}/events`;
    const first = await streamOf(url);
    const refused = await fetch(url);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    first.stop();
    await eventually('a place is free', async () => {
      const next = await streamOf(url);
      next.stop();
      return next.response.status === 200;
    });
  });

  test('of pages that go away before they begin keep no permit', async () => {
    const { url } = await world.start({ STATUS_STREAMS_ADDRESS_MAX: '1' });
    const { path } = world.newSession();
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    world.scripted.waitForSession = () => {
      asked.resolve();
      return gone.promise;
    };
    const leaving = new AbortController();
    const first = fetch(`${url}${path}/events`, { signal: leaving.signal }).catch(() => {});
    await asked.promise;
    leaving.abort();
    await first;
    // The server sees the end of a connection before the next one's request.
    await fetch(`${url}/nothing`);
    gone.resolve();
    delete world.scripted.waitForSession;
    const next = await streamOf(`${url}${path}/events`);
    expect(next.response.status).toBe(200);
    next.stop();
  });

  test('do not hold up the end of the service', async () => {
    const service = await world.start();
    const stream = await streamOf(`${service.url}${world.newSession().path}/events`);
    await service.close();
    await stream.read;
    expect(stream.text()).toMatch(/"phase":"open"/);
  });
});

describe('limits', () => {
  test('count an address, as trusted proxies tell it', async () => {
    const { url } = await world.start({ RATE_LIMIT_ADDRESS_PER_MINUTE: '2', TRUSTED_PROXIES: '127.0.0.0/8' });
    const ask = (address: string) =>
      fetch(`${url}${world.newSession().path}`, { headers: { 'x-forwarded-for': `6.6.6.6, ${address}` } });
    for (const status of [200, 200, 429]) expect((await ask('203.0.113.5')).status).toBe(status);
    const refused = await ask('203.0.113.5');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.text()).toMatch(/Terlalu banyak permintaan/);
    expect((await ask('203.0.113.6')).status).toBe(200);
  });

  test('do not believe anyone else', async () => {
    const { url } = await world.start({ RATE_LIMIT_ADDRESS_PER_MINUTE: '1' });
    const ask = (address: string) => fetch(`${url}/nothing`, { headers: { 'x-forwarded-for': address } });
    expect((await ask('203.0.113.5')).status).toBe(404);
    expect((await ask('203.0.113.6')).status).toBe(429);
  });

  test('count what creates something for a link, and not who only looks', async () => {
    const { url } = await world.start({ RATE_LIMIT_LINK_PER_MINUTE: '2' });
    const { path } = world.newSession();
    for (let look = 0; look < 5; look++) expect((await fetch(url + path)).status).toBe(200);
    const { reffNo } = world.newLink();
    const open = (link: string) => fetch(`${url}/pay/${link}`, { redirect: 'manual' });
    for (const status of [303, 303, 429]) expect((await open(reffNo)).status).toBe(status);
    for (let look = 0; look < 5; look++) expect((await fetch(`${url}/pay/${reffNo}`, { method: 'HEAD' })).status).toBe(200);
    expect((await open(world.newLink().reffNo)).status).toBe(303);
  });

  test.each([
    ['by its own rate', { RATE_LIMIT_ADDRESS_PER_MINUTE: '4', RATE_LIMIT_LINK_PER_MINUTE: '8' }],
    ['by its part of the link', { LINK_LIMIT_ADDRESS_PER_MINUTE: '4', RATE_LIMIT_LINK_PER_MINUTE: '8' }],
  ])('one address does not exhaust a link for the others: it is stopped %s', async (_what, env) => {
    const { url } = await world.start({ ...env, TRUSTED_PROXIES: '127.0.0.0/8' });
    const { reffNo } = world.newLink();
    const open = async (address: string) =>
      (await fetch(`${url}/pay/${reffNo}`, { redirect: 'manual', headers: { 'x-forwarded-for': address } })).status;
    const greedy: number[] = [];
    // All of them are the same /64.
    for (let asked = 0; asked < 30; asked++) greedy.push(await open(`2001:db8::${asked}`));
    expect(greedy.filter((status) => status === 303)).toHaveLength(4);
    expect(await open('203.0.113.6')).toBe(303);
  });

  test('bound the connections of an address', async () => {
    const { url } = await world.start({ CONNECTIONS_ADDRESS_MAX: '3' });
    const port = Number(new URL(url).port);
    const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').resume());
    let closed = 0;
    for (const socket of sockets) socket.on('error', () => {}).on('close', () => closed++);
    await eventually('two are closed', () => closed === 2);
    const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    other.write('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String((await once(other, 'data'))[0])).toMatch(/^HTTP\/1.1 404 /);
    for (const socket of [...sockets, other]) socket.destroy();
  });

  test('close who sends too slowly', async () => {
    const { url } = await world.start({ HEADERS_TIMEOUT_MS: '200', REQUEST_TIMEOUT_MS: '400' });
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true }).resume();
    const dripping = setInterval(() => socket.write('a: b\r\n'), 50);
    const beganMs = performance.now();
    socket.on('error', () => {}).write('GET / HTTP/1.1\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(dripping);
    // Node looks once a second.
    expect(performance.now() - beganMs).toBeLessThan(6_400);
  });

  test('take no form in pieces', async () => {
    const { path } = world.newSession();
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('payment_method=QRIS'));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const refused = await fetch(world.url() + path, { method: 'POST', headers, body, duplex: 'half' });
    expect(refused.status).toBe(411);
  });
});

test.each([
  ['a path that cannot be decoded', 'GET /pay/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
  ['no Host', 'GET /pay/x HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['two Hosts', 'GET /pay/x HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n', 400],
  ['noise', 'hello\r\n\r\n', 400],
  ['a head that is too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
])('%s is answered by a page, with the headers of every page', async (_what, bytes, status) => {
  const socket = connect(Number(new URL(world.url()).port), '127.0.0.1', () => socket.write(bytes));
  const [head = '', body = ''] = (await readText(socket)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  for (const header of [
    /^x-request-id: [0-9a-f]{32}$/im,
    /^content-security-policy: default-src 'none'/im,
    /^content-type: text\/html/im,
  ])
    expect(head).toMatch(header);
  expect(body).toMatch(/<h1>/);
});

test('what is refused for its address or its site is a security event, without the path that opens the page', async () => {
  const lines: string[] = [];
  const log = createLogger({ service: 'checkout', level: 'info' }, { write: (line) => void lines.push(line) });
  const limits = { RATE_LIMIT_ADDRESS_PER_MINUTE: '1', TRUSTED_PROXIES: '127.0.0.0/8' };
  const { url } = await world.start(limits, log);
  const { path } = world.newSession();
  const headers = { 'x-forwarded-for': '203.0.113.5', 'content-type': 'application/x-www-form-urlencoded' };
  const foreign = { ...headers, 'sec-fetch-site': 'cross-site' };
  expect((await fetch(url + path, { method: 'POST', headers: foreign, body: 'payment_method=QRIS' })).status).toBe(403);
  expect((await fetch(url + path, { headers })).status).toBe(429);
  const events = await eventually('both', () => {
    const found = lines.filter((line) => line.includes('"msg":"security_event"'));
    return found.length === 2 && found.map((line): unknown => JSON.parse(line));
  });
  const common = { listener: 'checkout', route: '/pay/:link/:session', address: '203.0.113.5', identity: 'none' };
  expect(events).toMatchObject([
    { ...common, kind: 'forbidden', reason: 'foreign_form' },
    { ...common, kind: 'rate_limited', reason: 'rate_limited' },
  ]);
  for (const part of path.split('/').slice(2)) expect(lines.join('')).not.toContain(part);
});

test('without money-in a page says that something is out of order, and nothing more', async () => {
  const { url } = await world.start({ MONEY_IN_RPC: '127.0.0.1:1' });
  const page = await fetch(`${url}${world.newSession().path}`);
  expect(page.status).toBe(503);
  expect(await page.text()).toMatch(/Sedang ada gangguan/);
});
