import { setTimeout as sleep } from 'node:timers/promises';
import { bindAccount } from '../support/bind-account.ts';
import { findBinding, newCustomer, said } from './charges-order.ts';
import type { World } from './world.ts';

/** So long a merchant tries to get an account bound, and its customer to do it. */
const PATIENCE_MS = 150_000;
const RETRY_MS = 250;

/** Has customers bind accounts, one after the other, until one has; gives the binding. `made` gets all that were begun. */
export async function bind(world: World, made: string[]): Promise<string> {
  const endMs = Date.now() + PATIENCE_MS;
  while (Date.now() < endMs) {
    const { bindingId, webviewUrl } = await begin(world, made.length, endMs);
    made.push(bindingId);
    if (await walk(world, { bindingId, webviewUrl, endMs })) return bindingId;
  }
  throw new Error('no account was bound');
}

/** The same request again, at one edge and the other, under one key: no binding is made that this does not know. */
async function begin(world: World, index: number, endMs: number): Promise<{ bindingId: string; webviewUrl: string }> {
  const body = { account_id: world.source, bank_code: 'BRI' as const, ...newCustomer(index) };
  const header = { 'Idempotency-Key': body.customer_id };
  for (let attempt = 0; Date.now() < endMs; attempt++) {
    const { api } = world.merchants[attempt % 2 === 0 ? 0 : 1];
    const answer = await said(api.POST('/api/v2.0/direct-debit/binding', { params: { header }, body }));
    if (answer?.data !== undefined) return { bindingId: answer.data.binding_id, webviewUrl: answer.data.webview_url };
    // 409: the first one is still being made.
    if (answer !== undefined && answer.http !== 409) throw new Error(`no binding: ${JSON.stringify(answer)}`);
    await sleep(RETRY_MS);
  }
  throw new Error('a binding was not answered');
}

type Walk = { bindingId: string; webviewUrl: string; endMs: number };

/** The customer opens the page again until something has become of it. Gives whether the account is bound. */
async function walk(world: World, { bindingId, webviewUrl, endMs }: Walk): Promise<boolean> {
  for (let attempt = 0; Date.now() < endMs; attempt++) {
    const found = await findBinding(world, attempt % 2 === 0 ? 0 : 1, bindingId);
    if (found?.status === 'ACTIVE') return true;
    if (found?.status === 'FAILED' || found?.status === 'EXPIRED') return false;
    await bindAccount(webviewUrl).catch(pageIsAway);
    await sleep(RETRY_MS);
  }
  throw new Error(`binding ${bindingId} does not end`);
}

/** The connection broke, or the page came again and again because its service was away. */
function pageIsAway(error: unknown): undefined {
  if (error instanceof TypeError) return undefined;
  if (error instanceof Error && error.message === 'the pages of the binding do not end') return undefined;
  throw error;
}
