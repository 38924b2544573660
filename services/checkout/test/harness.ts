import { create } from '@bufbuild/protobuf';
import { type AdjustableClock, createClock, newUlid, RefusalError, refuse } from '@gerbang/core';
import { CardPageService } from '@gerbang/proto/gerbang/cards/v1/cards';
import { BindPageService } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import {
  CheckoutService,
  type EwalletConfirmation,
  EwalletConfirmationSchema,
  type EwalletStatus,
  EwalletStatusSchema,
  PayableStatus,
  type PaymentLink,
  type PaymentLinkHistory,
  PaymentLinkHistorySchema,
  PaymentLinkSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { type Handlers, implement, startRpcServer } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import { testLog } from '@gerbang/testkit';
import { afterAll, beforeAll } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type Service, startService } from '../src/service.ts';
import { newBinder } from './binder.ts';
import { newCards } from './cards.ts';

const SESSION_MS = 900_000;

/** An e-wallet checkout and how it stands, which tests may change. */
type Checkout = { path: string; confirmation: EwalletConfirmation; status: EwalletStatus };

type Sessions = Map<string, { link: PaymentLink; history: PaymentLinkHistory }>;

/** What stands behind the pages, and the pages themselves. */
export type World = {
  clock: AdjustableClock;
  links: Map<string, PaymentLink>;
  /** Bank accounts that customers bind. */
  binder: ReturnType<typeof newBinder>;
  /** Payments by card whose customers come back. */
  cards: ReturnType<typeof newCards>;
  sessions: Sessions;
  /** Replaces how money-in answers a choice. */
  scripted: { choose?: () => Promise<never>; isReserved?: boolean; waitForSession?: () => Promise<void> };
  newLink(over?: Partial<PaymentLink>): PaymentLink;
  /** A link that has been opened, with its session. */
  newSession(link?: Partial<PaymentLink>, history?: Partial<PaymentLinkHistory>): { path: string; history: PaymentLinkHistory };
  /** An e-wallet checkout over IDR 30,000 by DANA. */
  newCheckout(over?: Partial<EwalletConfirmation>, status?: Partial<EwalletStatus>): Checkout;
  start(env?: Record<string, string>, log?: Logger): Promise<Service>;
  /** Where the pages are. */
  url(): string;
  /** As a browser without scripts and cookies would; redirects are not followed. */
  get(path: string, headers?: Record<string, string>): Promise<Page>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Page>;
};

export type Page = { status: number; text: string; headers: Headers };

/** The pages before money-in's contract in a few lines, by real gRPC. The whole system is for test/e2e. */
export function useCheckout(): World {
  const links = new Map<string, PaymentLink>();
  const sessions: Sessions = new Map();
  const checkouts = new Map<string, Checkout>();
  const clock = createClock();
  const binder = newBinder();
  const cards = newCards();
  const scripted: World['scripted'] = {};
  const closing: (() => Promise<void>)[] = [];
  let moneyIn: string;
  let service: Service;

  const find = (reffNo: string) => {
    const found = sessions.get(reffNo);
    if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
    return found;
  };
  const findLink = (reffNo: string) => {
    const link = links.get(reffNo);
    if (link === undefined) throw new RefusalError(refuse('transaction_not_found'));
    return link;
  };
  const handlers: Handlers<typeof CheckoutService> = {
    async findPaymentLink({ reffNo }) {
      return { paymentLink: findLink(reffNo) };
    },
    async openPaymentLink({ reffNo, ipAddress }) {
      const link = findLink(reffNo);
      const isUsedUp = link.maxUsage !== undefined && link.currentUsage >= link.maxUsage;
      if (link.status !== PayableStatus.ACTIVE || isUsedUp || scripted.isReserved) throw new RefusalError(refuse('bad_request'));
      const history = newHistory(link, { ipAddress });
      return { paymentLink: link, paymentLinkHistory: history };
    },
    async getSession({ reffNo }) {
      await scripted.waitForSession?.();
      const { link, history } = find(reffNo);
      return { paymentLink: link, paymentLinkHistory: history, merchantName: 'Toko Demo' };
    },
    async listSessions({ reffNos }) {
      return { paymentLinkHistories: reffNos.flatMap((reffNo) => sessions.get(reffNo)?.history ?? []) };
    },
    async choosePaymentMethod({ reffNo, paymentMethod, customerName, customerEmail, customerPhone }) {
      if (scripted.choose !== undefined) return scripted.choose();
      const { link, history } = find(reffNo);
      const chosen = { paymentMethod, paymentMethodValue: issuedFor(paymentMethod), customerName, customerEmail, customerPhone };
      Object.assign(history, chosen);
      return { paymentLink: link, paymentLinkHistory: history };
    },
    async getEwalletConfirmation({ transactionId }) {
      const found = checkouts.get(transactionId);
      if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
      return { ewalletConfirmation: found.confirmation };
    },
    async listEwalletStatuses({ transactionIds }) {
      return { ewalletStatuses: transactionIds.flatMap((id) => checkouts.get(id)?.status ?? []) };
    },
  };
  const newHistory = (link: PaymentLink, over: Partial<PaymentLinkHistory> = {}) => {
    const history = create(PaymentLinkHistorySchema, {
      id: 1n,
      reffNo: `PH${newUlid(clock.now())}`,
      status: PayableStatus.ACTIVE,
      amountSen: link.amountSen,
      expiredAtMs: BigInt(clock.now() + SESSION_MS),
    });
    Object.assign(history, over);
    sessions.set(history.reffNo, { link, history });
    return history;
  };
  const newLink: World['newLink'] = (over = {}) => {
    const link = create(PaymentLinkSchema, {
      id: 1n,
      reffNo: `PL${newUlid(clock.now())}`,
      title: 'Kopi',
      status: PayableStatus.ACTIVE,
      amountSen: 30_000_00n,
      paymentMethods: ['QRIS', 'VA_BCA', 'EWALLET_OVO', 'CARD'],
    });
    Object.assign(link, over);
    links.set(link.reffNo, link);
    return link;
  };
  const start: World['start'] = async (env = {}, log = testLog('checkout')) => {
    const settings = {
      GERBANG_ENV: 'sandbox',
      PAY_PORT: '0',
      ADMIN_PORT: '0',
      MONEY_IN_RPC: moneyIn,
      DIRECT_DEBIT_RPC: moneyIn,
      CARDS_RPC: moneyIn,
      STATUS_INTERVAL_MS: '50',
    };
    const started = await startService(readConfig({ ...settings, ...env }), { clock, log });
    closing.push(() => started.close());
    return started;
  };
  const ask = async (path: string, init: RequestInit): Promise<Page> => {
    const response = await fetch(service.url + path, { redirect: 'manual', ...init });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  beforeAll(async () => {
    const server = await startRpcServer({
      host: '127.0.0.1',
      port: 0,
      tls: undefined,
      log: testLog('money-in'),
      ready: () => true,
      implementations: [
        implement(CheckoutService, handlers, []),
        implement(BindPageService, binder.handlers, []),
        implement(CardPageService, cards.handlers, []),
      ],
    });
    closing.push(() => server.close());
    moneyIn = `127.0.0.1:${server.port}`;
    service = await start();
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });
  return {
    clock,
    links,
    binder,
    cards,
    sessions,
    scripted,
    newLink,
    newSession(link, over) {
      const made = newLink(link);
      const history = newHistory(made, over);
      return { path: `/pay/${made.reffNo}/${history.reffNo}`, history };
    },
    newCheckout(over = {}, statusOver = {}) {
      const transactionId = `88${newUlid(clock.now())}`;
      const status = create(EwalletStatusSchema, {
        transactionId,
        status: PayableStatus.ACTIVE,
        expiredAtMs: BigInt(clock.now() + SESSION_MS),
      });
      const confirmation = create(EwalletConfirmationSchema, {
        channel: 'DANA',
        amountSen: 30_000_00n,
        merchantName: 'Toko Demo',
        walletUrl: `https://dana.example/bayar?id=${transactionId}&x=1`,
      });
      Object.assign(status, statusOver);
      Object.assign(confirmation, { status, ...over });
      const made = { path: `/ewallet/${transactionId}`, confirmation, status };
      checkouts.set(transactionId, made);
      return made;
    },
    start,
    url: () => service.url,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields, headers = {}) => ask(path, { method: 'POST', headers, body: new URLSearchParams(fields) }),
  };
}

function issuedFor(method: string): string {
  if (method.startsWith('EWALLET')) return '';
  return method === 'QRIS' ? '00020101021226' : '7001412345678901';
}

/** Where a page leads. */
export function location(page: Page): string {
  return page.headers.get('location') ?? '';
}

/** What a page is about. */
export function heading(page: Page): string | undefined {
  return /<h1[^>]*>([^<]*)<\/h1>/.exec(page.text)?.[1];
}

/** A status stream as a browser reads it. */
export async function streamOf(url: string) {
  const stop = new AbortController();
  const response = await fetch(url, { signal: stop.signal });
  let text = '';
  const read = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => {});
  return { response, read, stop: () => stop.abort(), text: () => text };
}
