import type { Asked, ReconciledBy } from '@gerbang/reconciliation';
import type { Context } from '../context.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { QRIS } from '../qris/qris.ts';

/** Which of the codes are reconciled, by the ids of their requests; asks nothing for those that are not paid, or were today. */
export async function reconciledCodes(
  { reconciled, rails }: Pick<Context, 'reconciled' | 'rails'>,
  requests: readonly PaymentRequest[],
): Promise<ReadonlyMap<string, ReconciledBy>> {
  const partnerId = rails.callbackPartnerIds[QRIS] ?? '';
  const asked = requests.flatMap(({ order, state, payment }): (Asked & { requestId: string })[] => {
    if (payment === undefined) return [];
    const paymentId = `${QRIS}:${partnerId}:${payment.railReference}`;
    const knownAtMs = state.endedAtMs ?? order.createdAtMs;
    return [{ rail: QRIS, paymentId, atMs: payment.paidAtMs, knownAtMs, requestId: order.id }];
  });
  const found = await reconciled.of(asked);
  return new Map(
    asked.flatMap(({ paymentId, requestId }): [string, ReconciledBy][] => {
      const by = found.get(paymentId);
      return by === undefined ? [] : [[requestId, by]];
    }),
  );
}
