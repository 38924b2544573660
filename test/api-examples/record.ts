import { writeFileSync } from 'node:fs';
import { eventually } from '@gerbang/testkit';
import { startSystem } from '../../launcher/system.ts';
import { accepted, signIn } from '../support/merchant-client.ts';
import { startWebhookSink } from '../support/webhook-sink.ts';
import { type Example, events, startRecorder } from './recorder.ts';
import { useEveryOperation } from './tour.ts';

// Records the examples of the API's document: one request and answer of every operation, some errors, and every webhook, as a
// sandbox sends them. `npm run generate -- --examples` calls it.
const file = new URL('../../services/edge/src/openapi/examples.json', import.meta.url);
const sink = await startWebhookSink();
const system = await startSystem({ name: 'api-examples' });
try {
  const merchant = await signIn(system.demo.base_url, system.demo);
  const recorder = startRecorder(merchant, system.demo.biller_url);
  await useEveryOperation(recorder, system.demo, async () => {
    const urls = {
      transaction_notif_url: sink.url,
      disbursement_notif_url: sink.url,
      direct_debit_notif_url: sink.url,
      payment_link_inquiry_notif_url: sink.url,
    };
    await accepted(merchant.api.PUT('/api/v1.0/callback-settings', { body: urls }));
  });
  const webhookOf = (event: string) => sink.hooks.find(({ body }) => body.event === event)?.body;
  await eventually('every webhook', () => events.every((event) => webhookOf(event) !== undefined), 60_000);
  const examples: Record<string, Example> = { ...recorder.examples() };
  for (const event of events) examples[event] = { request: webhookOf(event) };
  const sorted = Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
} finally {
  await system.stop();
  await sink.close();
}
