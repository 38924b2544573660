import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { newUlid, RefusalError, refuse, URL_LENGTH_MAX } from '@gerbang/core';
import { GetReturnResponseSchema, type PaymentFormSchema, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { CardAttemptSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { createLogger } from '@gerbang/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { location, type Page, useCheckout } from './harness.ts';

const world = useCheckout();
const { cards } = world;

/** Canaries: numbers that must be found nowhere. */
const NUMBER = '4242428173645196';
const CVV = '917';
const CARD = { card_number: NUMBER, card_expiry: '12/39', card_cvv: CVV, card_holder_name: 'SRI RAHAYU', attempt: '1' };
const BANK = 'https://acs.example/challenge?id=1';

afterEach(() => {
  delete cards.scripted.pay;
  cards.submitted.length = 0;
});

type Form = MessageInitShape<typeof PaymentFormSchema>;
type Attempt = { attempt?: number; isOpen?: boolean; payment?: PaymentStatus; paymentUrl?: string; paymentForm?: Form };

/** A session whose customer has chosen CARD, and the try that it has had. */
function newCardSession({ attempt, isOpen = true, payment, paymentUrl = '', paymentForm }: Attempt = {}) {
  const made = world.newSession({ paymentMethods: ['CARD', 'QRIS'] }, { paymentMethod: 'CARD' });
  if (attempt === undefined) return made;
  const paymentId = `99${newUlid(Date.now())}`;
  made.history.cardAttempt = create(CardAttemptSchema, { attempt, paymentId, isOpen });
  if (payment !== undefined) {
    const [, , linkReffNo = '', sessionReffNo = ''] = made.path.split('/');
    const fields = { id: paymentId, status: payment, paymentUrl, linkReffNo, sessionReffNo, ...(paymentForm && { paymentForm }) };
    cards.payments.set(paymentId, create(GetReturnResponseSchema, fields));
  }
  return made;
}

const submit = (path: string, over: Record<string, string> = {}) => world.post(`${path}/card`, { ...CARD, ...over });
const attemptIn = ({ text }: Page) => /name="attempt" value="(\d+)"/.exec(text)?.[1];

describe('the form', () => {
  test('can be filled by the browser and typed on a phone, and works without scripts', async () => {
    const { path } = newCardSession();
    const page = await world.get(path);
    expect(page.text).toContain(`action="${path}/card"`);
    for (const [name, autocomplete] of Object.entries({
      card_number: 'cc-number',
      card_expiry: 'cc-exp',
      card_cvv: 'cc-csc',
      card_holder_name: 'cc-name',
    })) {
      const input = new RegExp(`<input id="${name}"[^>]*>`).exec(page.text)?.[0] ?? '';
      expect(input).toContain(`autocomplete="${autocomplete}"`);
      expect(input).toContain('spellcheck="false"');
      expect(input.includes('inputmode="numeric"')).toBe(name !== 'card_holder_name');
      expect(page.text).toContain(`<label for="${name}">`);
    }
    expect((await world.get(`${path}?lang=en`)).text).toContain('Pay IDR 30,000');
  });

  test('names its scripts by a nonce of this answer and by their hashes, and leads nowhere else', async () => {
    const { path } = newCardSession();
    const [first, second] = [await world.get(path), await world.get(path)];
    const policy = first.headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? expect.fail('no nonce');
    expect(policy).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(second.headers.get('content-security-policy')).not.toBe(policy);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const scripts = [...first.text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts).toHaveLength(2);
    for (const tag of scripts) {
      expect(tag).toContain(`nonce="${nonce}"`);
      expect(tag).toMatch(/src="\/assets\/[a-z-]+\.[0-9a-f]{12}\.js" integrity="sha384-[A-Za-z0-9+/]{64}"/);
    }
    expect(first.text).not.toMatch(/(?:src|href|action)="(?:https?:)?\/\//);
  });

  test('runs the scripts that docs/cards.md lists, by their hashes, and no other', async () => {
    const docs = readFileSync(path.resolve(import.meta.dirname, '../../../docs/cards.md'), 'utf8');
    const listed = [...docs.matchAll(/^\| `([a-z-]+)\.js` +\|[^|]+\| `(sha384-[^`]+)` +\|$/gm)].map(([, name, hash]) => [
      name,
      hash,
    ]);
    const { text } = await world.get(newCardSession().path);
    const run = [...text.matchAll(/<script[^>]* src="\/assets\/([a-z-]+)\.[^"]*" integrity="([^"]*)"/g)];
    expect(run.map(([, name, hash]) => [name, hash])).toEqual(listed);
    expect(run).toHaveLength([...text.matchAll(/<script/g)].length);
    for (const [, name, hash] of run) {
      const file = readFileSync(path.resolve(import.meta.dirname, `../src/assets/${name}.js`));
      expect(hash).toBe(`sha384-${createHash('sha384').update(file).digest('base64')}`);
    }
    expect(text).not.toMatch(/ on[a-z]+="/);
  });

  test.each([
    ['a wrong digit', { card_number: '4242428173645193' }, ['card_number']],
    ['no number', { card_number: '' }, ['card_number']],
    ['a month that is none', { card_expiry: '13/39' }, ['card_expiry']],
    ['a month that is over', { card_expiry: '10/26' }, ['card_expiry']],
    ['four digits of a Visa', { card_cvv: '9171' }, ['card_cvv']],
    ['three digits of an American Express', { card_number: '378282246310005' }, ['card_cvv']],
    ['letters', { card_cvv: 'abc' }, ['card_cvv']],
    ['a number for a name', { card_holder_name: NUMBER }, ['card_holder_name']],
    ['nothing', { card_number: '', card_expiry: '', card_cvv: '', card_holder_name: '' }, [...Object.keys(CARD).slice(0, 4)]],
  ])('with %s says so beside its field, and shows neither number nor code again', async (_what, over, wrong) => {
    world.clock.setOffset(Date.UTC(2026, 10, 22) - Date.now());
    const page = await submit(newCardSession().path, over);
    expect(page.status).toBe(422);
    expect([...page.text.matchAll(/id="(\w+)-error"/g)].map((match) => match[1])).toEqual(wrong);
    for (const field of wrong) expect(page.text).toMatch(new RegExp(`aria-describedby="${field}-error`));
    expect(page.text.replace(/\D/g, '')).not.toContain(NUMBER);
    expect(page.text).not.toContain(`"${CVV}"`);
    expect(page.text.includes('value="SRI RAHAYU"')).toBe(!wrong.includes('card_holder_name'));
    expect(page.text.includes('value="12/39"')).toBe(!wrong.includes('card_expiry'));
    expect(attemptIn(page)).toBe('1');
    expect(cards.submitted).toEqual([]);
  });

  test('in which a card number was entered elsewhere does not show it again', async () => {
    const { path } = newCardSession();
    const page = await submit(path, { card_expiry: NUMBER, card_cvv: '', card_holder_name: `SRI ${NUMBER}` });
    expect(page.text).not.toContain(NUMBER);
    const chosen = await world.post(path, { payment_method: '', customer_name: NUMBER });
    expect(chosen.text).not.toContain(NUMBER);
  });

  test.each([
    ['4242 4281 7364 5196', '7/39', '07/39'],
    ['4242-4281-7364-5196', '07 / 2039', '07/39'],
    [NUMBER, '0739', '07/39'],
  ])('takes %s and %s as people and browsers write them', async (card_number, card_expiry, expiry) => {
    const { path, history } = newCardSession();
    const page = await submit(path, { card_number, card_expiry });
    expect([page.status, location(page)]).toEqual([303, path]);
    expect(cards.submitted).toEqual([
      {
        reffNo: history.reffNo,
        attempt: 1,
        number: NUMBER,
        expiry,
        cvv: CVV,
        holderName: 'SRI RAHAYU',
        clientAddress: '127.0.0.1',
      },
    ]);
  });

  test('is refused where it stands on another site, and is no page of its own', async () => {
    const { path } = newCardSession();
    expect((await world.post(`${path}/card`, CARD, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(cards.submitted).toEqual([]);
    const loaded = await world.get(`${path}/card`);
    expect([loaded.status, location(loaded)]).toEqual([303, path]);
  });

  test('of a session that has no card to pay charges nothing', async () => {
    const { path } = world.newSession({ paymentMethods: ['CARD', 'QRIS'] }, { paymentMethod: 'QRIS' });
    expect((await submit(path)).status).toBe(303);
    expect(cards.submitted).toEqual([]);
  });
});

describe('after it', () => {
  test('the issuer’s page is next where it wants to authenticate, once by itself and then by a link', async () => {
    cards.scripted.pay = async () => ({ status: PaymentStatus.PENDING, paymentUrl: BANK });
    const { path } = newCardSession({ attempt: 1, payment: PaymentStatus.PENDING, paymentUrl: BANK });
    const sent = await submit(path);
    expect(location(sent)).toBe(`${path}?go=1`);
    const led = await world.get(location(sent));
    expect(led.headers.get('refresh')).toBe(`0; url=${BANK}`);
    const back = await world.get(path);
    expect(back.headers.get('refresh')).toBeNull();
    expect(back.text).toContain(`href="${BANK}"`);
    expect(back.text).toContain('data-phase="open"');
  });

  test.each([
    ['https://acs.example/challenge', 'https:'],
    ['http://127.0.0.1:9000/challenge', 'http://127.0.0.1:9000'],
  ])('the issuer who takes customers by POST only has a form of the page, to %s', async (url, target) => {
    const paymentForm = { url: `${url}?a="><script>`, fields: [{ name: 'creq', value: 'e"><b>' }] };
    cards.scripted.pay = async () => ({ status: PaymentStatus.PENDING, paymentForm });
    const { path } = newCardSession({ attempt: 1, payment: PaymentStatus.PENDING, paymentForm });
    const led = await world.get(location(await submit(path)));
    expect([led.status, led.headers.get('refresh')]).toEqual([200, null]);
    expect(led.headers.get('content-security-policy')).toContain(`; form-action 'self' ${target}; `);
    expect(led.text).toContain(`<form method="post" action="${url}?a=&quot;&gt;&lt;script&gt;">`);
    expect(led.text).toContain('<input type="hidden" name="creq" value="e&quot;&gt;&lt;b&gt;">');
    expect(led.text).toMatch(/<button class="button" type="submit">Lanjut ke bank<\/button><\/form>/);
  });

  test('the issuer’s page is next also at the longest address that a rail tells', async () => {
    const paymentUrl = 'https://acs.example/?creq='.padEnd(URL_LENGTH_MAX, 'a');
    const page = await world.get(`${newCardSession({ attempt: 1, payment: PaymentStatus.PENDING, paymentUrl }).path}?go=1`);
    expect(page.headers.get('refresh')).toBe(`0; url=${paymentUrl}`);
  });

  test('no form of a page leads to a script', async () => {
    const paymentForm = { url: 'javascript:alert(1)', fields: [] };
    const page = await world.get(newCardSession({ attempt: 1, payment: PaymentStatus.PENDING, paymentForm }).path);
    expect(page.text).toContain('Menunggu hasil pembayaran');
    expect(page.text).not.toContain('javascript:');
  });

  test.each(['javascript:alert(1)', 'data:text/html,x'])('no page leads to %s', async (paymentUrl) => {
    const { path } = newCardSession({ attempt: 1, payment: PaymentStatus.PENDING, paymentUrl });
    const page = await world.get(`${path}?go=1`);
    expect([page.headers.get('refresh'), page.text.includes(paymentUrl)]).toEqual([null, false]);
  });

  test('the return from the issuer leads to the session', async () => {
    const { path, history } = newCardSession({ attempt: 1, payment: PaymentStatus.PENDING });
    const page = await world.get(`/card/${history.cardAttempt?.paymentId}?cres=x`);
    expect([page.status, location(page)]).toEqual([303, path]);
  });

  test.each([[PaymentStatus.PROCESSING], [PaymentStatus.SUCCESS], [PaymentStatus.FAILED]])(
    'the page waits for the session to know of %s, also without scripts',
    async (payment) => {
      const page = await world.get(newCardSession({ attempt: 1, payment }).path);
      expect(page.text).toContain('Menunggu hasil pembayaran');
      expect(page.text).toContain('<noscript><meta http-equiv="refresh" content="3"></noscript>');
      expect(page.text).not.toContain('card_number');
    },
  );

  test('a decline offers the form for another card, and the other methods', async () => {
    const { path } = newCardSession({ attempt: 2, isOpen: false, payment: PaymentStatus.FAILED });
    const page = await world.get(path);
    expect(page.text).toContain('Kartu Anda tidak didebit. Coba lagi');
    expect([attemptIn(page), /data-phase="(\w+)"/.exec(page.text)?.[1]]).toEqual(['3', 'declined']);
    expect((await world.get(`${path}?choose=1`)).text).toContain('value="CARD"');
  });

  test('the last decline leaves the other methods', async () => {
    const { path, history } = newCardSession({ attempt: 5, isOpen: false });
    history.declinedPaymentMethods = ['CARD'];
    const page = await world.get(path);
    expect(page.text).toContain('pilih metode lain');
    expect([page.text.includes('value="CARD"'), page.text.includes('value="QRIS"')]).toEqual([false, true]);
    expect((await submit(path)).status).toBe(303);
    expect(cards.submitted).toEqual([]);
  });

  test('a try of which nothing has come is made again', async () => {
    expect(attemptIn(await world.get(newCardSession({ attempt: 1 }).path))).toBe('1');
  });

  test.each([
    ['unavailable', 503],
    ['product_not_allowed', 503],
    ['account_limit', 503],
  ] as const)('%s shows the form again, without the card', async (code, status) => {
    cards.scripted.pay = () => Promise.reject(new RefusalError(refuse(code)));
    const page = await submit(newCardSession().path);
    expect(page.status).toBe(status);
    expect(page.text).toContain('sedang tidak dapat digunakan');
    expect(page.text).not.toContain(NUMBER);
  });

  test('a card that was begun and not answered is looked after on the session’s page', async () => {
    cards.scripted.pay = () => Promise.reject(new RefusalError(refuse('timeout')));
    const { path } = newCardSession({ attempt: 1 });
    const page = await submit(path);
    expect([page.status, location(page)]).toEqual([303, path]);
  });
});

test('no log line has anything of a card', async () => {
  const lines: string[] = [];
  const log = createLogger({ service: 'checkout', level: 'trace' }, { write: (line: string) => lines.push(line) });
  const { url } = await world.start({}, log);
  const { path } = newCardSession();
  const send = (fields: Record<string, string>) =>
    fetch(`${url}${path}/card`, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
  await send(CARD);
  await send({ ...CARD, card_expiry: '' });
  cards.scripted.pay = () => Promise.reject(new RefusalError(refuse('frozen')));
  await send(CARD);
  cards.scripted.pay = () => Promise.reject(new Error('broken'));
  await send(CARD);
  expect(lines.join('')).toContain('/pay/:link/:session/card');
  for (const secret of [NUMBER, NUMBER.slice(6, 12), `"${CVV}"`, 'SRI RAHAYU']) expect(lines.join('')).not.toContain(secret);
});
