import { jakartaDay } from '@gerbang/core';
import type { QrisPaymentRail, QrisPaymentResult, QrisReturned } from '@gerbang/rails/qris-payment';
import type { Outcome, Product } from '../transfer/product.ts';
import type { FailureCause } from '../transfer/state.ts';
import { beneficiaryOf, QRIS_ISSUER } from './content.ts';
import { readDetails } from './document.ts';
import { toEvent, toMessage } from './message.ts';
import { readRequest, toRequest, writeRequest } from './rail-request.ts';

/**
 * The payment of a code that another merchant shows. The code was decoded under the order's partner reference before it is
 * ordered, as SNAP's payment names no code. It is paid at once or soon; only operators have it canceled or refunded.
 */
export function createQrisPayment(rail: Pick<QrisPaymentRail, 'pay' | 'query' | 'cancel' | 'refund'>): Product {
  return {
    name: QRIS_ISSUER,
    // The same rail, in the ledger and in its books, as that of codes that bring money in.
    rail: 'qris',
    channelOf: () => '',
    beneficiaryOf: (details) => beneficiaryOf(readDetails(details)),
    requestOf: (order, details, nowMs) => writeRequest(toRequest(order, readDetails(details), nowMs)),
    send: async (request, options) => toOutcome(await rail.pay(readRequest(request), options)),
    async inquire(request, options) {
      const found = await rail.query(readRequest(request), options);
      return found.outcome === 'not_found' ? found : toOutcome(found);
    },
    // SNAP's external id is unique for a day: after that the acquirer cannot recognize a repetition.
    mayResend: (request, nowMs) => jakartaDay(readRequest(request).createdAtMs) === jakartaDay(nowMs),
    cancel: {
      send: (request, options) => rail.cancel(readRequest(request), options),
      expiresAtMs: () => undefined,
    },
    refund: {
      async send(request, refundReference, options) {
        const answer = await rail.refund({ payment: readRequest(request), refundReference }, options);
        if (answer.outcome !== 'refunded') return answer;
        return { outcome: 'returned', railReference: '', reason: 'Refunded at the request of operators' };
      },
    },
    toMessage,
    toEvent,
  };
}

const CAUSES = {
  merchant_unknown: 'recipient_unknown',
  merchant_limit: 'recipient_limit',
  other: 'other',
} as const satisfies Record<string, FailureCause>;

function toOutcome(result: QrisPaymentResult | QrisReturned): Outcome {
  switch (result.outcome) {
    case 'succeeded': {
      const { railReference, rrn } = result;
      return { outcome: 'succeeded', railReference, receipt: { rrn } };
    }
    case 'failed': {
      const { code, reason, cause } = result;
      return { outcome: 'failed', code, reason, cause: CAUSES[cause] };
    }
    case 'pending':
    case 'canceled':
    case 'unknown':
    case 'returned':
      return result;
    default:
      return result satisfies never;
  }
}
