import { WEBHOOKS } from '@gerbang/present';
import { expect, test } from 'vitest';
import { SAMPLES, webhookOf } from './samples.ts';

test.each(SAMPLES)('the sample of $type has the body that the schema of its webhook says', (sample) => {
  const { event, setting, body } = webhookOf(sample);
  const kind = WEBHOOKS.find((known) => known.event === event);
  expect(kind?.setting).toBe(setting);
  const sent: Record<string, unknown> = JSON.parse(JSON.stringify(body));
  expect(kind?.body.parse(sent)).toEqual(sent);
  expect(kind?.body.safeParse({ ...sent, surprise: 1 }).success).toBe(false);
});

test('every webhook has a sample', () => {
  expect(new Set(SAMPLES.map((sample) => webhookOf(sample).event))).toEqual(new Set(WEBHOOKS.map(({ event }) => event)));
});
