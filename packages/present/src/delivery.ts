import { type Delivery, DeliveryStatus } from '@gerbang/proto/gerbang/notifier/v1/notifier';

const statuses: Record<DeliveryStatus, string> = {
  [DeliveryStatus.UNSPECIFIED]: 'pending',
  [DeliveryStatus.PENDING]: 'pending',
  [DeliveryStatus.DELIVERED]: 'delivered',
  [DeliveryStatus.FAILED]: 'failed',
};

/** One webhook's delivery log as the merchant's API shows it (contract §4). */
export function presentDelivery(delivery: Delivery): object {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event: delivery.event,
    url: delivery.url,
    status: statuses[delivery.status],
    attempts: delivery.attempts.map((attempt) => ({
      at: iso(attempt.atMs),
      http_status: attempt.httpStatus === 0 ? null : attempt.httpStatus,
      duration_ms: attempt.durationMs,
      answer: attempt.answer,
      error: attempt.error === '' ? null : attempt.error,
    })),
    redeliveries: delivery.redeliveries.map(({ atMs, clientId }) => ({
      at: iso(atMs),
      asked_by: clientId === '' ? 'operator' : clientId,
    })),
    created_at: iso(delivery.createdAtMs),
    next_attempt_at: delivery.nextAttemptAtMs === undefined ? null : iso(delivery.nextAttemptAtMs),
  };
}

function iso(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}
