import { RefusalError, refuse } from '@gerbang/core';
import { presentAcquiredQris, presentQrisPaymentStatus, type QrisPaymentJson, qrisPaymentSchema } from '@gerbang/present';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { NothingAnswer } from '../../http/call.ts';
import { ofAccount, oneOf } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';
import { mustBeThere } from './inquiry.ts';

const body = z.object({
  reference_number: referenceNumber,
  scope: oneOf(['issuer', 'acquirer']).meta({
    description: 'issuer: a payment of the account; acquirer: money in by its codes.',
  }),
  type: z.unknown().optional().meta({ description: 'Deprecated: not read.', deprecated: true }),
});

/**
 * POST /api/v2.0/qris/status/{account_id} (merchant-api.md, QRIS money out status). Refusals: validation, and those of money-out
 * and money-in.
 */
export const inquireQrisPaymentStatus = operation({
  id: 'inquireQrisPaymentStatus',
  summary: 'Status of a QRIS payment',
  description:
    'SP000 where it is found, with any status; SP009 with `transaction_status` 07 where it is not. With the scope `acquirer` ' +
    '`reference_number` is the `merchant_reff_no` (the newest code that has it) or the `reff_no` of money in.',
  input: z.object({ params: ofAccount, body }),
  data: qrisPaymentSchema,
  refusals: ['frozen'],
  failures: ['transaction_not_found'],
  echoes: ['reference_number', 'type', 'scope'],
  async handle(context, { caller, params, body: { reference_number, scope, type } }) {
    const asked = { merchantId: caller.merchantId, accountId: params.account_id, referenceNumber: reference_number };
    const found = scope === 'issuer' ? await findPayment(context, asked) : await findMoneyIn(context, asked);
    return found === undefined ? nothing({ reference_number, scope, type }) : { data: found };
  },
});

type Asked = { merchantId: string; accountId: string; referenceNumber: string };

async function findPayment({ qrisPayments }: Context, asked: Asked): Promise<QrisPaymentJson | undefined> {
  const answer = await orUndefined(qrisPayments.getQrisPayment(asked));
  return answer && presentQrisPaymentStatus(mustBeThere(answer.transfer));
}

/** Our own reference names one code; a merchant's may stand for several, of which the newest counts. */
async function findMoneyIn({ qris }: Context, asked: Asked): Promise<QrisPaymentJson | undefined> {
  const { merchantId, accountId, referenceNumber } = asked;
  const byOurs = await orUndefined(qris.getQris({ merchantId, accountId, reffNo: referenceNumber }));
  if (byOurs?.qrisTransaction !== undefined) return presentAcquiredQris(byOurs.qrisTransaction, referenceNumber);
  const query = { merchantId, accountId, limit: 1, merchantReffNo: referenceNumber };
  const [newest] = (await qris.listQris({ query })).qrisTransactions;
  return newest && presentAcquiredQris(newest, referenceNumber);
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'transaction_not_found') return undefined;
    throw error;
  }
}

function nothing(asked: Pick<z.output<typeof body>, 'reference_number' | 'scope' | 'type'>): NothingAnswer<QrisPaymentJson> {
  const { reference_number, scope, type } = asked;
  const known = qrisPaymentSchema.shape.type.safeParse(type);
  return {
    data: {
      reference_number,
      scope,
      ...(known.success && { type: known.data }),
      transaction_status: { code: '07', desc: 'Not Found' },
    },
    failure: refuse('transaction_not_found'),
  };
}
