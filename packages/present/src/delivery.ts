import { type Delivery, DeliveryStatus } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { z } from 'zod';
import { Timestamp, Ulid } from './schemas.ts';
import { textOrNull } from './text.ts';
import { iso, isoOrNull } from './time.ts';

const attemptSchema = z.strictObject({
  at: Timestamp,
  http_status: z.int().nullable().meta({ description: 'The status of the answer; null if none came.' }),
  duration_ms: z.int().nonnegative(),
  answer: z.string().meta({ description: 'The first KiB of the answer.' }),
  error: z.string().nullable().meta({ description: 'Why the attempt failed; null if it did not.' }),
});

const redeliverySchema = z.strictObject({
  at: Timestamp,
  asked_by: z.string().meta({ description: 'The client id that requested it; "operator" if an operator did.' }),
});

export const deliverySchema = z
  .strictObject({
    id: Ulid,
    event_id: Ulid.meta({ description: 'The X-Event-Id of every attempt.' }),
    event: z.string().meta({ description: 'The name of the event, as in the body.' }),
    url: z.string().meta({ description: 'The URL that was set when the event occurred.' }),
    status: z
      .enum(['pending', 'delivered', 'failed'])
      .meta({ description: 'failed: all retries have failed; it can be redelivered.' }),
    attempts: z.array(attemptSchema).meta({ description: 'Oldest first.' }),
    redeliveries: z.array(redeliverySchema).meta({ description: 'Requests to send it again, oldest first.' }),
    created_at: Timestamp,
    next_attempt_at: Timestamp.nullable().meta({ description: 'null once it is delivered or failed.' }),
  })
  .meta({ id: 'WebhookDelivery', description: "One webhook's delivery log." });

export type DeliveryJson = z.output<typeof deliverySchema>;

const statuses: Record<DeliveryStatus, DeliveryJson['status']> = {
  [DeliveryStatus.UNSPECIFIED]: 'pending',
  [DeliveryStatus.PENDING]: 'pending',
  [DeliveryStatus.DELIVERED]: 'delivered',
  [DeliveryStatus.FAILED]: 'failed',
};

/** One webhook's delivery log as the merchant's API shows it (contract §4). */
export function presentDelivery(delivery: Delivery): DeliveryJson {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event: delivery.event,
    url: delivery.url,
    status: statuses[delivery.status],
    attempts: delivery.attempts.map(presentAttempt),
    redeliveries: delivery.redeliveries.map(presentRedelivery),
    created_at: iso(delivery.createdAtMs),
    next_attempt_at: isoOrNull(delivery.nextAttemptAtMs),
  };
}

function presentAttempt(attempt: Delivery['attempts'][number]): DeliveryJson['attempts'][number] {
  return {
    at: iso(attempt.atMs),
    http_status: attempt.httpStatus === 0 ? null : attempt.httpStatus,
    duration_ms: attempt.durationMs,
    answer: attempt.answer,
    error: textOrNull(attempt.error),
  };
}

function presentRedelivery({ atMs, clientId }: Delivery['redeliveries'][number]): DeliveryJson['redeliveries'][number] {
  return { at: iso(atMs), asked_by: clientId === '' ? 'operator' : clientId };
}
