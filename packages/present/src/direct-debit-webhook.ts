import { fromBinary } from '@bufbuild/protobuf';
import {
  BindingChangedSchema,
  ChargeFinishedSchema,
  RefundFinishedSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { z } from 'zod';
import {
  directDebitBindingSchema,
  directDebitRefundSchema,
  directDebitTransactionSchema,
  presentDirectDebitBinding,
  presentDirectDebitRefund,
  presentDirectDebitTransaction,
} from './direct-debit.ts';
import { carried, type DomainEvent, type RenderedKind, renderedBy } from './webhook-event.ts';

const SUCCEEDED = { response_code: 'SP000', response_message: 'Success' } as const;
const FAILED = { response_code: 'SP001', response_message: 'Transaction failure' } as const;

type Result = typeof SUCCEEDED | typeof FAILED;
type Described<Data> = { event: string; result: Result; description: string; data: z.ZodType<Data>; id: string };

const bindingWebhook = (described: Omit<Described<z.output<typeof directDebitBindingSchema>>, 'data' | 'id'> & { id: string }) =>
  kindOf({ ...described, data: directDebitBindingSchema }, (event) =>
    presentDirectDebitBinding(carried(event, fromBinary(BindingChangedSchema, event.payload).binding)),
  );

const chargeWebhook = (described: Omit<Described<z.output<typeof directDebitTransactionSchema>>, 'data'>) =>
  kindOf({ ...described, data: directDebitTransactionSchema }, (event) =>
    presentDirectDebitTransaction(carried(event, fromBinary(ChargeFinishedSchema, event.payload).transaction)),
  );

const refundWebhook = (described: Omit<Described<z.output<typeof directDebitRefundSchema>>, 'data'>) =>
  kindOf({ ...described, data: directDebitRefundSchema }, (event) => {
    const { transaction, refund } = fromBinary(RefundFinishedSchema, event.payload);
    return presentDirectDebitRefund(carried(event, transaction), carried(event, refund));
  });

/** What happens to bindings, charges and refunds (contract §10). */
export const directDebitWebhooks = {
  bindingSucceeded: bindingWebhook({
    event: 'direct-debit.binding.succeeded',
    result: SUCCEEDED,
    description: 'A customer has bound an account.',
    id: 'DirectDebitBindingSucceededWebhook',
  }),
  bindingFailed: bindingWebhook({
    event: 'direct-debit.binding.failed',
    result: FAILED,
    description: 'An account was not bound.',
    id: 'DirectDebitBindingFailedWebhook',
  }),
  bindingExpired: bindingWebhook({
    event: 'direct-debit.binding.expired',
    result: FAILED,
    description: 'The customer has not finished a binding in time.',
    id: 'DirectDebitBindingExpiredWebhook',
  }),
  unbindingSucceeded: bindingWebhook({
    event: 'direct-debit.unbinding.succeeded',
    result: SUCCEEDED,
    description: 'A binding has ended: the merchant, the customer or the bank has ended it.',
    id: 'DirectDebitUnbindingSucceededWebhook',
  }),
  unbindingFailed: bindingWebhook({
    event: 'direct-debit.unbinding.failed',
    result: FAILED,
    description: 'A binding that was to end is still active.',
    id: 'DirectDebitUnbindingFailedWebhook',
  }),
  chargeSucceeded: chargeWebhook({
    event: 'direct-debit.charge.succeeded',
    result: SUCCEEDED,
    description: 'A charge has succeeded.',
    id: 'DirectDebitChargeSucceededWebhook',
  }),
  chargeFailed: chargeWebhook({
    event: 'direct-debit.charge.failed',
    result: FAILED,
    description: 'A charge has failed or expired.',
    id: 'DirectDebitChargeFailedWebhook',
  }),
  refundSucceeded: refundWebhook({
    event: 'direct-debit.refund.succeeded',
    result: SUCCEEDED,
    description: 'A refund is with the customer.',
    id: 'DirectDebitRefundSucceededWebhook',
  }),
  refundFailed: refundWebhook({
    event: 'direct-debit.refund.failed',
    result: FAILED,
    description: 'A refund has failed; its amount is back.',
    id: 'DirectDebitRefundFailedWebhook',
  }),
};

function kindOf<Data>(described: Described<Data>, present: (event: DomainEvent) => Data): RenderedKind {
  const { event, result, description, data, id } = described;
  const body = z
    .strictObject({
      response_code: z.literal(result.response_code),
      response_message: z.literal(result.response_message),
      event: z.literal(event),
      data,
    })
    .meta({ id, description });
  const setting = 'direct_debit_notif_url' as const;
  return renderedBy({ event, setting, description, body }, (occurred) => ({ ...result, event, data: present(occurred) }));
}
