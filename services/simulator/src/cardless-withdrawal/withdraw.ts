import { jakartaIso, toMoney } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Handler } from '../handler.ts';
import { forcedOf, type PayAnswer } from '../money-in/forced.ts';
import type { GatewayService } from '../money-in/gateway.ts';
import { withdrawalsOf } from './store.ts';
import type { Withdrawal } from './withdrawal.ts';

/** Of our own, as the services of cardless withdrawals are. */
const CARDLESS_NOTIFY: GatewayService = { path: '/v1.0/cardless-withdrawal/notify', code: '94' };

const params = z.object({ withdrawal_code: z.string().regex(/^[0-9]{6,20}$/) });

const UNKNOWN: PayAnswer = { accepted: false, reason: 'The bank does not know this code' };

const REASONS: Readonly<Record<Withdrawal['status'], string>> = {
  pending: 'The code cannot be used yet',
  active: 'The cash was not drawn',
  withdrawn: 'The cash has been drawn already',
  canceled: 'The withdrawal was canceled',
  expired: 'The code has expired',
  failed: 'The withdrawal has failed',
};

/**
 * POST /sandbox/cardless/{withdrawal_code}/withdraw → `{accepted, reason?}`: the customer draws the cash at a machine (contract
 * §11). The gateway is notified before the answer; of a rail whose answers are lost it hears only when it asks.
 */
export const withdrawCash: Handler = async (context, request): Promise<PayAnswer> => {
  const known = params.safeParse(request.params).data;
  const withdrawals = await withdrawalsOf(context);
  const asked = known && (await withdrawals.findByCode(known.withdrawal_code));
  if (asked === undefined) return UNKNOWN;
  const forced = await forcedOf(context, 'cardless');
  if ('refused' in forced) return forced.refused;
  const { drawn, withdrawal = asked } = await withdrawals.draw(asked.reference);
  if (!drawn) return { accepted: false, reason: REASONS[withdrawal.status] };
  if (forced.tellAfterMs === 0) await notify(context, withdrawal);
  return { accepted: true };
};

/** A notification that is lost is not repeated: the gateway asks for what it has not heard of. */
async function notify({ gateway, log }: Context, withdrawal: Withdrawal): Promise<void> {
  const answer = await gateway.call('cardless', CARDLESS_NOTIFY, {
    originalReferenceNo: withdrawal.referenceNo,
    originalPartnerReferenceNo: withdrawal.reference,
    latestTransactionStatus: '00',
    transactionStatusDesc: 'Success',
    amount: toMoney(withdrawal.amountSen),
    transactionDate: jakartaIso(withdrawal.withdrawnAtMs ?? 0),
  });
  if (answer.outcome !== 'done')
    log.warn({ reference: withdrawal.reference, outcome: answer.outcome }, 'a withdrawal was not taken');
}
