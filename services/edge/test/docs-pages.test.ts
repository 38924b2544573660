import { createHmac } from 'node:crypto';
import { AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { accessibilityProblems } from '@gerbang/testkit/accessibility';
import { type Device, openDesktop } from '@gerbang/testkit/browser';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Edge, orderOf, startEdge, transferOf } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

/** A browser beside other tests takes its time. */
vi.setConfig({ testTimeout: 120_000 });

const PAGES = ['/docs', '/docs/signature'];

let edge: Edge;
let desktop: Device;
/** Requests that left for another origin, and what the policy has blocked, of all pages of a test. */
let wrong: string[] = [];
/** The addresses that were asked for. */
let urls: string[] = [];

beforeAll(async () => {
  [edge, desktop] = await Promise.all([startEdge(), openDesktop({ locale: 'en-GB' })]);
});

afterAll(async () => {
  await desktop?.close();
  await edge?.close();
});

afterEach(async () => {
  for (const page of desktop.context.pages()) await page.close();
  const seen = wrong;
  [wrong, urls] = [[], []];
  expect(seen).toEqual([]);
});

async function open(where: string): Promise<Page> {
  const page = await desktop.context.newPage();
  page.setDefaultTimeout(50_000);
  page.on('request', (request) => {
    urls.push(request.url());
    if (!request.url().startsWith(`${edge.url}/`) && !request.url().startsWith('data:')) wrong.push(request.url());
  });
  page.on('pageerror', (error) => wrong.push(String(error)));
  await page.exposeFunction('reportViolation', (text: string) => void wrong.push(text));
  await page.addInitScript(
    "document.addEventListener('securitypolicyviolation', (e) => reportViolation(e.effectiveDirective + ' ' + e.blockedURI))",
  );
  await page.goto(edge.url + where);
  return page;
}

function fragmentOf({ partnerId, clientId, clientSecret }: FakeMerchant): string {
  return new URLSearchParams({ partner_id: partnerId, client_id: clientId, client_secret: clientSecret }).toString();
}

const operation = (page: Page, id: string) => page.locator(`[id$="-${id}"]`);

describe('the reference', () => {
  test('shows the document, with nothing from elsewhere, and signs a request so that the edge accepts it', async () => {
    const merchant = edge.merchant();
    const order = { ...orderOf(merchant), remark: 'Kopi “susu” é 1/2 <b>', notes: { z: 1.5, a: [1, null] } };
    edge.fakes.disbursement = { transfer: async () => ({ transfer: transferOf() }) };
    const [first = '', second = ''] = merchant.accountIds;
    const accounts = [first, second].map((accountId) => ({
      accountId,
      status: AccountStatus.ACTIVE,
      isDefault: accountId === second,
    }));
    edge.fakes.account = { listAccounts: async () => ({ accounts }) };
    const page = await open(`/docs#/Disbursement/transferDisbursement?${fragmentOf(merchant)}`);
    await page.getByText(`Requests are signed for ${merchant.partnerId}`).waitFor();
    expect(page.url()).toBe(`${edge.url}/docs#/Disbursement/transferDisbursement`);
    for (const id of ['issueTokenV11', 'showAccountBalance', 'onDisbursement']) await operation(page, id).waitFor();
    // Credentials go into our own panel only.
    expect(await page.getByRole('button', { name: 'Authorize' }).count()).toBe(0);

    const transfer = operation(page, 'transferDisbursement');
    // The example has the reader's default account.
    expect(await transfer.locator('textarea').inputValue()).toContain(`"account_id": "${second}"`);
    await transfer.locator('textarea').fill(JSON.stringify(order, null, 2));
    await transfer.getByRole('button', { name: 'Execute' }).click();
    await transfer.locator('.live-responses-table').getByText('SP000').waitFor();
    expect(edge.fakes.calls.filter(({ method }) => method === 'transfer')).toHaveLength(1);
    expect(urls.filter((url) => url.includes('access-token'))).toEqual([`${edge.url}/api/v1.1/access-token/b2b`]);
    expect(await page.evaluate('JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])')).toBe('[0,0,""]');
    expect(urls.filter((url) => url.includes(merchant.clientSecret))).toEqual([]);
    // The history does not have them either.
    for (; page.url() !== 'about:blank'; await page.goBack()) expect(page.url()).not.toContain(merchant.clientSecret);
  });

  test('says which credentials were refused; others may follow in a link', async () => {
    const merchant = edge.merchant();
    edge.fakes.ledger = { getBalance: async () => ({ availableSen: 5_00n, pendingSen: 0n }) };
    edge.fakes.account = { listAccounts: async () => ({ accounts: [] }) };
    const page = await open('/docs#/Balance/showAccountBalance');
    await page.getByText('Requests go out without credentials').click();
    await page.getByLabel('Partner id').fill('p');
    await page.getByLabel('Client id').fill('c');
    await page.getByRole('button', { name: 'Use these' }).click();
    await page.getByText('All three are needed').waitFor();
    await page.getByLabel('Client secret').fill('s');
    await page.getByRole('button', { name: 'Use these' }).click();
    await page.getByText('Requests are signed for p').waitFor();
    const balance = operation(page, 'showAccountBalance');
    await balance.getByPlaceholder('account_id').fill(merchant.accountIds[0] ?? '');
    await balance.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('No access token for these credentials: HTTP 401, Invalid credentials').waitFor();
    await balance.locator('.live-responses-table').getByText('"success": false').waitFor();

    await page.goto(`${edge.url}/docs#${fragmentOf(merchant)}`);
    await page.getByText(`Requests are signed for ${merchant.partnerId}`).waitFor();
    expect(page.url()).toBe(`${edge.url}/docs`);
    await balance.getByRole('button', { name: 'Execute' }).click();
    await balance.locator('.live-responses-table').getByText('"success": true').waitFor();
    const token = operation(page, 'issueTokenV11');
    await token.locator('.opblock-summary-control').click();
    await token.getByRole('button', { name: 'Execute' }).click();
    await token.locator('.live-responses-table').getByText('access_token').waitFor();
  });
});

describe('the workbench', () => {
  test('names the wrong component and its cause; usable by everyone on a desktop and on a phone', async () => {
    const page = await open('/docs/signature');
    const timestamp = Math.floor(Date.now() / 1_000);
    const emptyObject = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';
    const withoutQuery = `POST:/api/v2.0/disbursement/transfer:t:${emptyObject}:${timestamp}`;
    const signature = createHmac('sha512', 'the-secret').update(withoutQuery).digest('hex');
    await page.getByLabel('Path with query').fill('/api/v2.0/disbursement/transfer?a=1');
    await page.getByLabel('Headers').fill('Authorization');
    await page.getByLabel('Body').fill('{}');
    await page.getByLabel('Client secret').fill('the-secret');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('Headers, line 1: expected a name, a colon and a value').waitFor();
    await page.getByLabel('Headers').fill(`Authorization: Bearer t\nX-Timestamp: ${timestamp}\nX-Signature: ${signature}`);
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('path_without_query').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('The signature is not good');
    for (const width of [1_280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }

    // The policy is enforced, and what it blocks would be seen.
    await page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">')");
    await expect.poll(() => wrong).toContain('style-src-attr inline');
    wrong = [];
  });

  const message = { method: 'GET', url: '/', headers: {}, body: '', secret: 'the-secret' };
  const ask = (body: unknown, headers: Record<string, string> = {}) =>
    edge.send('POST', '/docs/signature/explain', { body, headers: { host: 'gerbang.example', ...headers } });

  test.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
  ])('does not answer pages of another origin: %j', async (headers) => {
    expect((await ask(message, headers)).http).toBe(403);
  });

  test('answers no secret and keeps nothing', async () => {
    const reply = await ask(message, { 'sec-fetch-site': 'same-origin' });
    expect(reply.http).toBe(200);
    expect(reply.text).not.toContain('the-secret');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  test('lets other requests through meanwhile, and explains two at once', async () => {
    const slow = { ...message, method: 'POST', headers: { 'x-signature': 'ab'.repeat(64) }, body: '{"a":[1.5,"é"]}' };
    const statuses: number[] = [];
    const asked = Promise.all([1, 2, 3].map(async () => statuses.push((await ask(slow)).http)));
    await fetch(`${edge.url}/docs`);
    expect(statuses).not.toContain(200);
    await asked;
    expect(statuses.sort()).toEqual([200, 200, 503]);
  });

  test.each([
    [{ ...message, body: 'x'.repeat(32 * 1024 + 1) }, 'body: must have at most 32768 characters'],
    [{ ...message, secret: undefined }, 'secret: is required'],
    [{ ...message, headers: { a: 1 } }, 'headers: '],
  ])('bounds what it takes (%#)', async (body, expected) => {
    const { http, json } = await ask(body);
    expect(http).toBe(422);
    expect(json.error).toMatchObject({ message: expect.stringContaining(expected) });
  });
});

describe('on the wire', () => {
  test.each(PAGES)('%s has the strict headers and is not kept', async (where) => {
    const response = await fetch(edge.url + where);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  test('files are kept by their hash, others are unknown', async () => {
    const html = await (await fetch(`${edge.url}/docs`)).text();
    const files = [...html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const response = await fetch(edge.url + file);
      expect(response.headers.get('cache-control'), file).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const other = await edge.send('GET', (files[0] ?? '').replace(/assets\/[0-9a-f]+/, 'assets/0123456789abcdef'));
    expect(other.http).toBe(404);
    expect(other.headers.get('cache-control')).toBe('no-store');
  });

  test('a wrong method is 405', async () => {
    const reply = await edge.send('POST', '/docs', { body: {} });
    expect(reply.http).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET');
  });
});

describe('is there', () => {
  test.each([
    [{ API_DOCS: 'off' }, 404],
    [{ API_DOCS: 'on' }, 200],
  ])('with %j: %i', async (environment, status) => {
    const other = await startEdge(environment);
    try {
      for (const where of PAGES) expect((await fetch(other.url + where)).status, where).toBe(status);
      if (status === 404) {
        const unknown = await other.send('GET', '/nowhere');
        for (const where of [...PAGES, '/docs/assets/x']) {
          const reply = await other.send('GET', where);
          expect(reply.json).toEqual(unknown.json);
          expect(reply.headers.get('content-security-policy')).toBe(unknown.headers.get('content-security-policy'));
        }
        expect((await other.send('POST', '/docs/signature/explain', { body: {} })).http).toBe(404);
      }
    } finally {
      await other.close();
    }
  });
});
