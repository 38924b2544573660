import { AttentionKind, type ListAttentionRequest } from '@gerbang/proto/gerbang/cards/v1/operators';
import type { Context } from '../../context.ts';
import { toPaymentMessage } from '../../payment/message.ts';

const LIMIT_MAX = 500;
const KINDS = {
  [AttentionKind.UNSPECIFIED]: 'all',
  [AttentionKind.UNRESOLVED]: 'unresolved',
  [AttentionKind.CONTESTED]: 'contested',
} as const;

/** Payments that operators should look at, those that have waited longest first. */
export async function listAttention(
  { payments, clock }: Pick<Context, 'payments' | 'clock'>,
  { kind, olderThanMs, limit }: ListAttentionRequest,
) {
  const found = await payments.listUnresolved({
    kind: KINDS[kind] ?? 'all',
    untilMs: clock.now() - Number(olderThanMs),
    limit: Math.min(Math.max(limit, 1), LIMIT_MAX),
  });
  return {
    items: found.map((payment) => ({
      kind: payment.state.status === 'contested' ? AttentionKind.CONTESTED : AttentionKind.UNRESOLVED,
      payment: toPaymentMessage(payment),
      state: payment.state.status,
      sinceMs: BigInt((payment.document.unresolved_at ?? payment.document.created_at).getTime()),
      tries: 'asked' in payment.state ? payment.state.asked.tries : 0,
      reason: 'asked' in payment.state ? payment.state.asked.waitingFor : 'reason' in payment.state ? payment.state.reason : '',
    })),
  };
}
