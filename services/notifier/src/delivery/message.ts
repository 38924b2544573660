import { DeliveryStatus } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { Delivery, DeliveryState } from './delivery.ts';

const statuses: Record<DeliveryState['status'], DeliveryStatus> = {
  pending: DeliveryStatus.PENDING,
  delivered: DeliveryStatus.DELIVERED,
  failed: DeliveryStatus.FAILED,
};

/** The delivery as the contract between services shows it. */
export function toMessage({ id, event, url, state, attempts, redeliveries, atMs }: Delivery) {
  return {
    id,
    eventId: id,
    event,
    url,
    status: statuses[state.status],
    attempts: attempts.map((attempt) => ({
      atMs: BigInt(attempt.atMs),
      httpStatus: attempt.httpStatus ?? 0,
      durationMs: attempt.durationMs,
      answer: attempt.answer,
      error: attempt.error ?? '',
    })),
    createdAtMs: BigInt(atMs),
    // A merchant does not see the names of operators.
    redeliveries: redeliveries.map(({ atMs, requestedBy }) => ({
      atMs: BigInt(atMs),
      clientId: 'clientId' in requestedBy ? requestedBy.clientId : '',
    })),
    ...(state.status === 'pending' && { nextAttemptAtMs: BigInt(state.nextAttemptAtMs) }),
  };
}

/** The status that a filter names; undefined for no filter. */
export function toStatus(status: DeliveryStatus): DeliveryState['status'] | undefined {
  switch (status) {
    case DeliveryStatus.UNSPECIFIED:
      return undefined;
    case DeliveryStatus.PENDING:
      return 'pending';
    case DeliveryStatus.DELIVERED:
      return 'delivered';
    case DeliveryStatus.FAILED:
      return 'failed';
    default:
      return status satisfies never;
  }
}
