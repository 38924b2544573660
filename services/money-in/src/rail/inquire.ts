import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../context.ts';
import { merchantNameOf } from '../payable/merchant-name.ts';
import { misfitOf } from '../payable/payable.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';
import { linkOf } from '../payment/receive.ts';
import { decisionOf } from './decision.ts';

/** What a customer would pay now for a number or a code; changes nothing. */
export async function inquire(context: Context, payable: StoredPayable | undefined) {
  if (payable === undefined) return { decision: RailDecision.UNKNOWN };
  const { order, state } = payable;
  const misfit = misfitOf(state, { type: 'take', by: 'inquiry', amountSen: state.minSen, paidAtMs: context.clock.now() });
  if (misfit !== undefined) return { decision: decisionOf(misfit) };
  const isClosed = state.minSen === state.maxSen;
  return {
    decision: RailDecision.ACCEPTED,
    bill: {
      name: await nameOf(context, payable),
      ...(isClosed ? { amountSen: state.minSen } : { amountMinSen: state.minSen, amountMaxSen: state.maxSen }),
      ...(state.expiresAtMs !== undefined && { expiresAtMs: BigInt(state.expiresAtMs) }),
      merchantReffNo: order.merchantReffNo,
      merchantName: await merchantNameOf(context, order),
    },
  };
}

/** Whom or what the bill is for. */
async function nameOf(context: Context, payable: StoredPayable): Promise<string> {
  const { details } = payable;
  switch (details.kind) {
    case 'virtual-account':
      return details.name;
    case 'retail':
      return details.customer_name;
    case 'payment-link':
      return details.title;
    case 'payment-link-history': {
      const link = await context.payables.find(linkOf(payable) ?? '');
      return details.customer_name !== ''
        ? details.customer_name
        : link?.details.kind === 'payment-link'
          ? link.details.title
          : '';
    }
    case 'qris':
    case 'ewallet-checkout':
      return '';
    default:
      return details satisfies never;
  }
}
