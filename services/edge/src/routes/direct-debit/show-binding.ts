import { directDebitBindingSchema, presentDirectDebitBinding } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { bindingInPath } from './fields.ts';

/** GET /api/v2.0/direct-debit/binding/{binding_id} (contract §8). Refusals: those of direct-debit. */
export const showBinding = operation({
  id: 'showDirectDebitBinding',
  summary: 'Show a binding',
  input: z.object({ params: z.object({ binding_id: bindingInPath }) }),
  data: directDebitBindingSchema,
  refusals: ['transaction_not_found'],
  async handle({ directDebits }, { caller, params: { binding_id: bindingId } }) {
    const { binding } = await directDebits.getBinding({ merchantId: caller.merchantId, bindingId });
    if (binding === undefined) throw new Error('direct-debit answered no binding');
    return { data: presentDirectDebitBinding(binding) };
  },
});
