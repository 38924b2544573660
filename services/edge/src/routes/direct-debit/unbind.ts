import { presentUnbinding, unbindSchema } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { bindingInPath, TIMEOUT_MS } from './fields.ts';

/** POST /api/v2.0/direct-debit/binding/{binding_id}/unbind (contract §8). Refusals: those of direct-debit. */
export const unbind = operation({
  id: 'unbindDirectDebit',
  summary: 'End a binding',
  description:
    'Where `otp_required` is true, the customer gives the OTP to you, and you give it to verify-otp together with `otp_handoff`, as ' +
    'it is, as `unbind_context`. The binding stays ACTIVE until the bank has ended it; the webhook ' +
    '`direct-debit.unbinding.succeeded` says so. Every call makes the otp_handoff of the one before invalid.',
  input: z.object({ params: z.object({ binding_id: bindingInPath }) }),
  data: unbindSchema,
  refusals: ['transaction_not_found', 'transaction_failed', 'frozen'],
  async handle({ directDebits }, { caller, params: { binding_id: bindingId } }) {
    const { binding, otpRequired, otpHandoff } = await directDebits.unbind(
      { merchantId: caller.merchantId, bindingId },
      { timeoutMs: TIMEOUT_MS },
    );
    if (binding === undefined) throw new Error('direct-debit answered no binding');
    return { data: presentUnbinding(binding, { otpRequired, otpHandoff }) };
  },
});
