import {
  DirectDebitStatus,
  directDebitStatusOf,
  directDebitTransactionSchema,
  pageSchema,
  presentDirectDebitTransaction,
} from '@gerbang/present';
import { ChargeStatus } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { z } from 'zod';
import { accountId } from '../../http/fields.ts';
import { listQuery, once, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';
import { ownReference } from './fields.ts';

const query = z.object({
  ...listQuery,
  account_id: accountId,
  binding_id: once.optional().meta({ description: 'Only those of this binding.' }),
  reference_number: ownReference('Only the one with this reference.').optional(),
  status: z
    .enum(DirectDebitStatus.options, 'must be a status of a charge')
    .meta({ description: 'Only those with this status.' })
    .transform(directDebitStatusOf)
    .optional(),
});

/** GET /api/v2.0/direct-debit/transaction?account_id (contract §8): newest first. Refusals: validation, those of direct-debit. */
export const listTransactions = operation({
  id: 'listDirectDebitTransactions',
  summary: 'List the charges of an account',
  input: z.object({ query }),
  data: pageSchema(directDebitTransactionSchema),
  async handle({ directDebits }, { caller, query: wanted }) {
    const { account_id, binding_id, reference_number, limit, cursor, status, from, to } = wanted;
    const found = await directDebits.listTransactions({
      merchantId: caller.merchantId,
      accountId: account_id,
      bindingId: binding_id ?? '',
      referenceNumber: reference_number ?? '',
      limit,
      cursor,
      status: status ?? ChargeStatus.UNSPECIFIED,
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    });
    return { data: page(found.transactions.map(presentDirectDebitTransaction), found.nextCursor) };
  },
});
