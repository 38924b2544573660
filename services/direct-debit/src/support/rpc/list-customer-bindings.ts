import type { ListCustomerBindingsRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { toBindingMessage } from '../../binding/message.ts';
import type { Context } from '../../context.ts';

const LISTED_MAX = 100;

/** What support staff see of a customer: every binding, newest first, and no secret. */
export async function listCustomerBindings(
  { bindings }: Pick<Context, 'bindings'>,
  { merchantId, customerId }: ListCustomerBindingsRequest,
) {
  const found = await bindings.listOfCustomer(merchantId, customerId, LISTED_MAX);
  return { bindings: found.map(toBindingMessage) };
}
