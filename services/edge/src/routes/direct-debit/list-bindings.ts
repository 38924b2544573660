import {
  DirectDebitBindingStatus,
  directDebitBindingSchema,
  directDebitBindingStatusOf,
  pageSchema,
  presentDirectDebitBinding,
} from '@gerbang/present';
import { BindingStatus } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { z } from 'zod';
import { accountId, reference } from '../../http/fields.ts';
import { listQuery, page } from '../../http/list-query.ts';
import { operation } from '../../http/operation.ts';

const query = z.object({
  ...listQuery,
  account_id: accountId,
  customer_id: reference(64).optional().meta({ description: 'Only those of this customer.' }),
  status: z
    .enum(DirectDebitBindingStatus.options, 'must be a status of a binding')
    .meta({ description: 'Only those with this status.' })
    .transform(directDebitBindingStatusOf)
    .optional(),
});

/** GET /api/v2.0/direct-debit/binding?account_id (contract §8): newest first. Refusals: validation, and those of direct-debit. */
export const listBindings = operation({
  id: 'listDirectDebitBindings',
  summary: 'List the bindings of an account',
  input: z.object({ query }),
  data: pageSchema(directDebitBindingSchema),
  async handle({ directDebits }, { caller, query: { account_id, customer_id, limit, cursor, status, from, to } }) {
    const found = await directDebits.listBindings({
      merchantId: caller.merchantId,
      accountId: account_id,
      customerId: customer_id ?? '',
      limit,
      cursor,
      status: status ?? BindingStatus.UNSPECIFIED,
      ...(from !== undefined && { fromMs: from }),
      ...(to !== undefined && { toMs: to }),
    });
    return { data: page(found.bindings.map(presentDirectDebitBinding), found.nextCursor) };
  },
});
