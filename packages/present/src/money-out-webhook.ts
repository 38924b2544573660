import { fromBinary } from '@bufbuild/protobuf';
import { DisbursementFinishedSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { presentTransferForWebhook, transferForWebhookSchema } from './transfer.ts';
import { carried, renderedBy } from './webhook-event.ts';

const DISBURSEMENT = 'disbursement';

/** How the webhooks of money out say whether the beneficiary has been paid. */
export const moneyOutResultFields = {
  response_code: z.enum(['SP000', 'SP001']).meta({ description: 'SP000 only if the money is with the beneficiary.' }),
  response_message: z.enum(['Success', 'Transaction failure']),
};

const bodySchema = z
  .strictObject({
    ...moneyOutResultFields,
    event: z.literal(DISBURSEMENT),
    data: transferForWebhookSchema,
  })
  .meta({ id: 'DisbursementWebhook', description: 'The end of a disbursement.' });

/** The end of a disbursement (contract §10). */
export const disbursementWebhook = renderedBy(
  {
    event: DISBURSEMENT,
    setting: 'disbursement_notif_url',
    description: 'A disbursement has reached the beneficiary, has failed, was canceled, or came back after it had succeeded.',
    body: bodySchema,
  },
  (event) => {
    const transfer = carried(event, fromBinary(DisbursementFinishedSchema, event.payload).transfer);
    return { ...moneyOutResult(transfer.status), event: DISBURSEMENT, data: presentTransferForWebhook(transfer) };
  },
);

/**
 * SP000 only where the money is with the beneficiary: who reads no more than the code must not take a refunded or canceled one as
 * paid.
 */
export function moneyOutResult(status: TransferStatus): Pick<z.output<typeof bodySchema>, 'response_code' | 'response_message'> {
  return status === TransferStatus.SUCCESS
    ? { response_code: 'SP000', response_message: 'Success' }
    : { response_code: 'SP001', response_message: 'Transaction failure' };
}
