import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { openChannel, type TlsFiles } from '@gerbang/rpc';
import { createAuthority, eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { inquire, newOrder, notifyAt, transfer } from '../support/disbursement.ts';
import { signIn } from '../support/merchant-client.ts';
import { type SecuredNats, startSecuredNats } from '../support/secured-nats.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

/** The whole system with what production requires of it on one machine: mutual TLS everywhere, NATS with TLS and users. */

const certificate = createAuthority();
const cli = certificate('cli');
let nats: SecuredNats;
let sink: WebhookSink;
let system: System;

beforeAll(async () => {
  nats = await startSecuredNats(certificate('nats', { hosts: 'DNS:localhost' }));
  sink = await startWebhookSink();
  const tlsOf = (service: string) => {
    const { ca, cert, key } = certificate(service);
    return { RPC_TLS_CA: ca, RPC_TLS_CERT: cert, RPC_TLS_KEY: key };
  };
  system = await startSystem({
    name: 'secured',
    natsUrl: nats.url,
    envOf: (service) => ({ ...tlsOf(service), ...nats.environmentOf(service) }),
    tls: cli,
  });
}, 120_000);
afterAll(async () => {
  await system?.stop();
  await sink?.close();
  await nats?.stop();
});

/** Asks the merchant service what only operators may, with that certificate. */
async function listMerchants(tls: TlsFiles | undefined) {
  const channel = openChannel({ address: `127.0.0.1:${system.ports.MERCHANT_RPC_PORT}`, tls, timeoutMs: 2_000 });
  try {
    return await channel.client(OperatorService).listMerchants({}, { retry: false });
  } finally {
    await channel.close();
  }
}

test('a merchant is made, pays out, and is told by a webhook', async () => {
  const [account] = system.demo.account_ids;
  const merchant = await signIn(system.demo.base_url, system.demo);
  await notifyAt(merchant, sink.url);
  const body = newOrder(account);
  await transfer(merchant, body);
  await eventually(
    'the money',
    async () => (await inquire(merchant, account, body.reference_number)).transaction_status.code === '00',
  );
  await eventually('the webhook', () => sink.about(body.reference_number)[0]);
  expect(await system.verifyLedger()).toEqual([]);
});

test('a service may not do what operators may, nor may one without a certificate', async () => {
  await expect(listMerchants(certificate('edge'))).rejects.toMatchObject({ refusal: { refused: 'forbidden' } });
  await expect(listMerchants(createAuthority()('cli'))).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
  await expect(listMerchants(undefined)).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
});

test('no service was refused anything that it needs', () => {
  const folder = path.join(system.dataFolder, 'logs');
  const logs = readdirSync(folder).map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
  expect(logs.length).toBeGreaterThan(9);
  // The test above has been refused once, as the edge.
  const refused = logs.flatMap(({ text }) => text.split('\n').filter((line) => line.includes('what it may not')));
  expect(refused.filter((line) => !line.includes('ListMerchants'))).toEqual([]);
  for (const { name, text } of logs) expect(text, name).not.toMatch(/NATS refuses|NATS cannot be reached|Permissions Violation/i);
});
