import { formatSen } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Handler } from '../handler.ts';
import type { PaymentRequest } from '../payment-request/payment-request.ts';
import { confirmPayment } from './confirm-ewallet.ts';

const params = z.object({ transaction_id: z.string().min(1).max(64) });
const form = z.object({ outcome: z.enum(['success', 'failed']) });

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};

/**
 * GET /ewallet/{transaction_id}: the wallet's own page, where the customer confirms or declines. One form, no scripts (contract
 * §11).
 */
export const showEwalletPage: Handler = async (context, request, reply) => {
  const payment = await findPayment(context, request.params);
  if (payment === undefined) return reply.code(404).headers(HEADERS).send(page('Tidak ditemukan · Not found', ''));
  const receipt = await context.receipts.find('ewallet', payment.referenceNo);
  const isOver = payment.expiresAtMs !== undefined && context.clock.now() >= payment.expiresAtMs;
  if (receipt !== undefined || isOver)
    return reply.code(410).headers(HEADERS).send(page('Pembayaran selesai · Payment is over', ''));
  const amount = `Rp ${formatSen(payment.amountSen ?? 0n)}`;
  // What is not declined is paid; whichever button sends the form, the last value counts.
  const buttons = `<form method="post"><p>${amount}</p><input type="hidden" name="outcome" value="success">
<button>Bayar · Pay</button> <button name="outcome" value="failed">Tolak · Decline</button></form>`;
  return reply.headers(HEADERS).send(page('Sandbox e-wallet', buttons));
};

/** POST of the page's form; then the customer goes where the gateway wants. */
export const submitEwalletPage: Handler = async (context, request, reply) => {
  const payment = await findPayment(context, request.params);
  const sent = form.safeParse(Object.fromEntries(new URLSearchParams(typeof request.body === 'string' ? request.body : '')));
  if (payment === undefined) return reply.code(404).headers(HEADERS).send(page('Tidak ditemukan · Not found', ''));
  if (!sent.success) return reply.code(422).headers(HEADERS).send(page('Permintaan salah · Bad request', ''));
  const { accepted, reason = '' } = await confirmPayment(context, payment, sent.data.outcome);
  if (accepted && payment.returnUrl !== '') return reply.code(303).header('location', payment.returnUrl).send();
  const title = accepted ? 'Selesai · Done' : 'Tidak berhasil · Not accepted';
  return reply
    .code(accepted ? 200 : 409)
    .headers(HEADERS)
    .send(page(title, `<p>${reason}</p>`));
};

async function findPayment({ paymentRequests }: Context, from: unknown): Promise<PaymentRequest | undefined> {
  const parsed = params.safeParse(from);
  return parsed.success ? paymentRequests.find('ewallet', parsed.data.transaction_id) : undefined;
}

/** `content` comes only from this file: no text from outside goes into the page. */
function page(title: string, content: string): string {
  return `<!doctype html><html lang="id"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:1.1rem system-ui;margin:2rem;max-width:24rem}button{font:inherit;padding:.7rem 1.2rem}</style>
<h1>${title}</h1>${content}</html>\n`;
}
