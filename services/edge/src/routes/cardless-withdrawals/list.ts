import {
  CardlessWithdrawalStatus,
  cardlessWithdrawalSchema,
  cardlessWithdrawalStatusOf,
  pageSchema,
  presentCardlessWithdrawal,
} from '@gerbang/present';
import { CardlessWithdrawalStatus as Status } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { z } from 'zod';
import { ofAccount } from '../../http/fields.ts';
import { listQuery, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';

const words = CardlessWithdrawalStatus.options;

const query = z.object({
  ...listQuery,
  reference_number: referenceNumber.optional(),
  status: z
    .enum(words, `must be one of ${words.join(', ')}`)
    .meta({ description: 'Only those with this status.' })
    .transform(cardlessWithdrawalStatusOf)
    .optional(),
});

/**
 * GET cardless-withdrawals/{account_id} (contract §6): newest first, without codes. Refusals: validation, and those of money-out.
 */
export const listCardlessWithdrawals = operation({
  id: 'listCardlessWithdrawals',
  summary: 'List cardless withdrawals',
  description: 'Without their codes.',
  input: z.object({ params: ofAccount, query }),
  data: pageSchema(cardlessWithdrawalSchema),
  async handle({ cardlessWithdrawals }, { caller, params, query: { limit, cursor, status, reference_number, from, to } }) {
    const found = await cardlessWithdrawals.listCardlessWithdrawals({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      limit,
      cursor,
      status: status ?? Status.UNSPECIFIED,
      referenceNumber: reference_number ?? '',
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    });
    return { data: page(found.transfers.map(presentCardlessWithdrawal), found.nextCursor) };
  },
});
