import type { RefundRequest } from './state.ts';

/** The fields of a paid transfer whose money operators want back; they are there only until the rail has answered. */
export type RefundFields = {
  refund_asked_at?: Date;
  refund_attempts?: number;
  refund_reason?: string;
};

/** It is in the operators' queue until the rail has answered. */
export function toRefundFields(refund: RefundRequest | undefined): RefundFields & { unresolved_at?: Date } {
  if (refund === undefined) return {};
  const askedAt = new Date(refund.askedAtMs);
  return {
    refund_asked_at: askedAt,
    refund_attempts: refund.attempts,
    refund_reason: refund.reason,
    unresolved_at: askedAt,
  };
}

export function fromRefundFields(fields: RefundFields): RefundRequest | undefined {
  const { refund_asked_at: askedAt, refund_attempts: attempts = 0, refund_reason: reason = '' } = fields;
  return askedAt && { askedAtMs: askedAt.getTime(), attempts, reason };
}
