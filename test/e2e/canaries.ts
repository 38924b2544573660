import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CARD_CANARIES,
  CVV_CANARY,
  eventually,
  leaksIn,
  leaksInDatabases,
  leaksInFolder,
  REFERENCE_CANARY,
} from '@gerbang/testkit';
import { beforeAll, expect, test } from 'vitest';
import { newCard, newPayment, newPlan, wrongPayments } from '../support/canary-cards.ts';
import { type CanaryRequest, canaryRequests } from '../support/canary-requests.ts';
import { newOrder, order } from '../support/disbursement.ts';
import { call, isRecord, type MerchantClient, signIn } from '../support/merchant-client.ts';
import { newPaymentLink } from '../support/payment-link.ts';
import type { Sandbox } from './sandbox.ts';

const AT_ONCE = 8;
const CONTROL = 'canary control';
const [CARD = ''] = CARD_CANARIES;

/** For the second account: what is paid here settles later, while other tests count the money of the first one. */
function requestsOf({ demo }: Sandbox['system'], webhookUrl: string): CanaryRequest[] {
  const [other, account] = demo.account_ids;
  return canaryRequests(account, other, webhookUrl);
}

/** Sends card numbers and CVVs everywhere, and looks for them everywhere. */
export function canaries(sandbox: () => Sandbox): void {
  /** What answers had canaries in them. */
  const echoed: string[] = [];
  const statuses = new Map<number, number>();
  let merchant: MerchantClient;

  const send = async (method: string, url: string, body?: string | URLSearchParams, headers: Record<string, string> = {}) => {
    const typed = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const init = { method, headers: { ...typed, ...headers }, ...(body !== undefined && { body }), redirect: 'manual' as const };
    const response = await fetch(url, init);
    const text = `${withoutEchoes(await response.text())} ${JSON.stringify([...response.headers])}`;
    echoed.push(
      ...leaksIn(text).map((leak) => `${method} ${new URL(url).pathname}: ${response.status} ${leak}: ${text.slice(0, 300)}`),
    );
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    return response;
  };
  const sendRequest = ({ method, path: asked, toBiller, body, rawBody, headers = {} }: CanaryRequest) => {
    const { demo } = sandbox().system;
    const url = (toBiller ? demo.biller_url : demo.base_url) + asked;
    return send(method, url, rawBody ?? (body === undefined ? undefined : JSON.stringify(body)), {
      ...merchant.headersOf(asked, body),
      ...headers,
    });
  };
  const sendAll = async (requests: readonly CanaryRequest[]) => {
    const left = requests[Symbol.iterator]();
    const work = async () => {
      for (const request of left) await sendRequest(request);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };

  beforeAll(async () => {
    const { system } = sandbox();
    merchant = await signIn(system.demo.base_url, system.demo);
  });

  test('no answer repeats a card number or CVV from a field, a header or a parameter of any operation', async () => {
    const { system, sink } = sandbox();
    const requests = requestsOf(system, sink.url);
    expect(requests.length).toBeGreaterThan(400);
    await sendAll(requests);
    // Some were good, some were not valid, some found nothing, some could not be read.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404, 422]));
    expect(statuses.get(500)).toBe(undefined);
    expect(echoed).toEqual([]);
  });

  test('no page of customers, refusal of a token or answer to a bank repeats one', async () => {
    const { system, account } = sandbox();
    const { base_url: base, simulator_url: simulator } = system.demo;
    const link = await newPaymentLink(merchant, account, { required_customer_detail: true });
    const page = await fetch(link.url);
    const form = { customer_email: 'ani@example.com', customer_phone: '081234567890', payment_method: 'QRIS' };
    const origin = { origin: new URL(page.url).origin };
    // The page shows a customer what the customer has entered; nothing else may have it.
    const refused = await fetch(page.url, {
      method: 'POST',
      body: new URLSearchParams({ ...form, customer_name: `Ani ${CARD}`, card_cvv: CVV_CANARY }),
      headers: origin,
    });
    expect(refused.status).toBe(422);
    await fetch(`${new URL(link.url).origin}/pay/${CARD}`);
    const basic = `Basic ${Buffer.from(`${CARD}:${CVV_CANARY}`).toString('base64')}`;
    await send('POST', `${base}/api/v1.0/access-token/b2b`, '{}', { authorization: basic, 'x-partner-id': CARD });
    await send('GET', `${base}/api/v1.0/accounts`, undefined, { authorization: `Bearer ${CARD}`, 'x-partner-id': CARD });
    await send('GET', `${base}/${CARD}?card=${CARD}`);
    const rails = `http://127.0.0.1:${system.ports.RAILS_PORT}`;
    const notice = JSON.stringify({ virtualAccountNo: CARD, additionalInfo: { card_number: CARD, card_cvv: CVV_CANARY } });
    for (const service of ['access-token/b2b', 'transfer-va/payment', 'qr/qr-mpm-notify', CARD])
      await send('POST', `${rails}/v1.0/${service}`, notice, { 'x-external-id': CARD, 'x-signature': CARD });
    await call('POST', `${simulator}/sandbox/virtual-accounts/${CARD}/pay`, JSON.stringify({ amount: 1, card_number: CARD }));
    expect(echoed).toEqual([]);
  });

  test('no answer repeats one while the database is gone', async () => {
    const { system, sink } = sandbox();
    const requests = requestsOf(system, sink.url);
    const orders = requests.filter(({ path: asked, body }) => asked.endsWith('/disbursement/transfer') && body !== undefined);
    const lists = requests.filter(
      ({ method, path: asked }) => method === 'GET' && asked.startsWith('/api/v1.0/virtual-accounts'),
    );
    statuses.clear();
    // The database is back within a second, which an unlucky round takes for a pause: then no error was answered.
    const failed = () => [...statuses.keys()].filter((status) => status >= 500);
    for (let round = 0; round < 5 && failed().length === 0; round++) {
      await system.kill('mongodb', 'SIGKILL');
      await sendAll([...orders.slice(0, 8), ...lists]);
      await system.ready();
    }
    expect(failed()).not.toEqual([]);
    expect(echoed).toEqual([]);
  });

  test('card payments and plans are taken, refused and cut off by crashes, and no answer repeats a card', async () => {
    const { system } = sandbox();
    const { base_url: base, simulator_url: simulator, account_ids } = system.demo;
    const [, account] = account_ids;
    const taken = newPayment(account);
    const first = await sendRequest(taken);
    expect([first.status, (await sendRequest(taken)).headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    const plan = await eventually('a plan', async () => {
      const { json } = await call(
        'POST',
        base + newPlan(account).path,
        JSON.stringify(newPlan(account).body),
        merchant.headersOf(''),
      );
      return isRecord(json.data) && typeof json.data.plan_id === 'string' && json.data.plan_id;
    });
    expect((await sendRequest(newCard(account, plan))).status).toBe(200);
    statuses.clear();
    await sendAll(wrongPayments(account));
    expect([...statuses.keys()].sort()).toEqual([400, 422]);

    const rail = `${simulator}/sandbox/rails/card`;
    await call('PUT', rail, JSON.stringify({ outcome: 'failed' }));
    expect((await sendRequest(newPayment(account))).status).toBe(400);
    // The acquirer keeps its callers waiting: each process dies while it has cards in its hands.
    await call('PUT', rail, JSON.stringify({ latency_ms: 1_500 }));
    for (const service of ['cards', 'edge', 'simulator']) {
      const cutOff = [newPayment(account), newPlan(account), newPayment(account), newCard(account, plan)].map((request) =>
        sendRequest(request).catch((error: unknown) => (error instanceof TypeError ? undefined : Promise.reject(error))),
      );
      await Promise.race([...cutOff, sleep(400)]);
      await system.kill(service, 'SIGKILL');
      await Promise.all(cutOff);
      await system.ready();
    }
    await call('DELETE', rail);
    expect(echoed).toEqual([]);
  });

  test('no log, trace, event, document, stored answer or webhook has one', async () => {
    const { system, sink, collector, account } = sandbox();
    // What comes last is everywhere: then everything before it is, too.
    const control = newOrder(account, { description: CONTROL });
    const { response } = await order(merchant, control);
    await eventually('the webhook', () => sink.about(control.reference_number)[0]);
    const trace = response.headers.get('x-request-id') ?? '';
    await eventually('the trace', () => collector.texts.some((text) => text.includes(trace)), 30_000);
    const { uri, prefix } = system.mongodb;
    const [logs, events] = [path.join(system.dataFolder, 'logs'), path.join(system.dataFolder, 'nats')];

    // Each place is really looked into.
    expect(await leaksInDatabases(uri, prefix, [CONTROL])).not.toEqual([]);
    expect((await leaksInDatabases(uri, prefix, ['canary-'])).filter((at) => at.includes('idempotency_keys'))).not.toEqual([]);
    expect(await leaksInFolder(events, [control.reference_number])).not.toEqual([]);
    expect(await leaksInFolder(logs, [trace])).not.toEqual([]);

    // The cards that were kept are there, and sealed.
    expect((await leaksInDatabases(uri, prefix, ['453277******2643'])).filter((at) => at.includes('card_tokens'))).not.toEqual(
      [],
    );

    expect(await leaksInDatabases(uri, prefix)).toEqual([]);
    expect(await leaksInFolder(system.dataFolder)).toEqual([]);
    expect(await leaksInFolder(events)).toEqual([]);
    expect(await leaksInFolder(logs)).toEqual([]);
    expect(await leaksInFolder(logs, [REFERENCE_CANARY, 'card_number_masked', 'log_field_dropped'])).toEqual([]);
    expect(collector.texts.flatMap((text) => [...leaksIn(text), ...leaksIn(text, [REFERENCE_CANARY])])).toEqual([]);
    expect(sink.hooks.flatMap((hook) => leaksIn(JSON.stringify(hook)))).toEqual([]);
  }, 120_000);
}

/**
 * An answer without what says back who it is about, and so is the caller's own: identifying fields in `data` of an error of v2
 * (contract §2), and the command of a legacy answer.
 */
function withoutEchoes(text: string): string {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return text;
  }
  if (!isRecord(answer)) return text;
  const { command: _, data, ...rest } = answer;
  if (!isRecord(data) || rest.response_code === 'SP000' || rest.response_code === '00') return JSON.stringify({ ...rest, data });
  return JSON.stringify({ ...rest, message: data.message, errors: data.errors });
}
