import { afterAll, beforeAll } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { notifyAt } from '../support/disbursement.ts';
import { type MerchantClient, signIn } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';
import { type Collector, startCollector } from './collector.ts';

/** A running system whose demo merchant has its webhooks about disbursements sent to `sink`. */
export type Sandbox = {
  system: System;
  sink: WebhookSink;
  /** Has every span of the system's services. */
  collector: Collector;
  merchant: MerchantClient;
  /** The demo merchant's account that has money. */
  account: string;
};

/** Starts one before the tests and stops it after them. Gives how to reach it, for tests and for hooks inside. */
export function useSandbox(): () => Sandbox {
  let sink: WebhookSink | undefined;
  let collector: Collector | undefined;
  let system: System | undefined;
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    sink = await startWebhookSink();
    collector = await startCollector();
    system = await startSystem({
      name: 'e2e',
      shuffleUnsorted: true,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    const merchant = await signIn(system.demo.base_url, system.demo);
    await notifyAt(merchant, sink.url);
    sandbox = { system, sink, collector, merchant, account: system.demo.account_ids[0] };
  }, 120_000);
  afterAll(async () => {
    await system?.stop();
    await sink?.close();
    collector?.close();
  });
  return () => {
    if (sandbox === undefined) throw new Error('the sandbox has not started');
    return sandbox;
  };
}
