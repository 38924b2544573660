import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import type { System } from '../../launcher/system.ts';
import { isRecord, signIn } from '../support/merchant-client.ts';
import type { Hook, WebhookSink } from '../support/webhook-sink.ts';
import { encodeShot } from './harness/http-connection.ts';
import type { Target } from './harness/http-load.ts';

const PATH = '/api/v2.0/disbursement/transfer';
const ALL_WITHIN_MS = 120_000;
const QUIET_MS = 1_000;

/** Signed transfers of the demo merchant, each with a reference number of its own, announced to `notifyUrl`. */
export async function signedTransfers({ demo }: System, notifyUrl: string): Promise<Target> {
  const merchant = await signIn(demo.base_url, demo);
  await merchant.send('PUT', '/api/v1.0/callback-settings', { disbursement_notif_url: notifyUrl });
  const [accountId] = demo.account_ids;
  let count = 0;
  return {
    port: Number(new URL(demo.base_url).port),
    next() {
      count++;
      // Keys in alphabetical order: the text is its own normalized form.
      const body = `{"account_id":"${accountId}","amount":{"currency":"IDR","value":"10.00"},"bank_account_number":"1234567890","bank_code":"014","reference_number":"bench-${count}"}`;
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const hash = createHash('sha256').update(body).digest('hex');
      const toSign = `POST:${PATH}:${merchant.token}:${hash}:${timestamp}`;
      return encodeShot({
        method: 'POST',
        path: PATH,
        body,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${merchant.token}`,
          'x-partner-id': demo.partner_id,
          'x-timestamp': timestamp,
          'x-signature': createHmac('sha512', demo.client_secret).update(toSign).digest('hex'),
        },
      });
    },
    judge(status, body) {
      if (status === 503) return 'refused';
      return status === 200 && body.includes('"SP000"') ? 'accepted' : 'failed';
    },
  };
}

/** What the merchant has been told: each transfer counts once, when it was first announced. */
export type Announcements = {
  count(): number;
  /** How many had come by a time, Unix ms. */
  by(atMs: number): number;
  /** When the last one came, Unix ms. */
  lastMs(): number;
  /** Until so many have come. */
  reach(count: number): Promise<void>;
  /** Until no more come. */
  settle(): Promise<void>;
};

/**
 * All its functions throw when something was announced that has not succeeded. `referenceOf`: what a webhook tells of; undefined where
 * that does not count.
 */
export function announcementsOf(
  { hooks }: Pick<WebhookSink, 'hooks'>,
  referenceOf: (hook: Hook) => string | undefined = referenceOfSucceeded,
): Announcements {
  const references = new Set<string>();
  const firstMs: number[] = [];
  let read = 0;
  const announced = () => {
    for (; read < hooks.length; read++) {
      const hook = hooks[read];
      const reference = hook && referenceOf(hook);
      if (hook === undefined || reference === undefined || references.has(reference)) continue;
      references.add(reference);
      firstMs.push(hook.atMs);
    }
    return firstMs;
  };
  return {
    count: () => announced().length,
    by: (untilMs) => announced().filter((atMs) => atMs <= untilMs).length,
    lastMs: () => announced().at(-1) ?? Number.NaN,
    async reach(count) {
      await eventually('all are announced', () => announced().length >= count, ALL_WITHIN_MS);
    },
    async settle() {
      for (let last = -1; last !== announced().length; ) {
        last = announced().length;
        await sleep(QUIET_MS);
      }
    },
  };
}

function referenceOfSucceeded({ body }: Hook): string {
  const { reference_number: reference, transaction_status: status } = isRecord(body.data) ? body.data : {};
  if (!isRecord(status) || status.code !== '00') throw new Error(`a transfer has not succeeded: ${JSON.stringify(body)}`);
  return String(reference);
}
