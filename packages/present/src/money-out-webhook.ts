import { fromBinary } from '@bufbuild/protobuf';
import { DisbursementFinishedSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { presentTransferForWebhook } from './transfer.ts';
import { carried, type DomainEvent, type Webhook } from './webhook-event.ts';

/**
 * The end of a disbursement (contract §10). SP000 only where the money is with the beneficiary: who reads no more than the code
 * must not take a refunded or canceled one as paid.
 */
export function disbursementWebhook(event: DomainEvent): Webhook {
  const transfer = carried(event, fromBinary(DisbursementFinishedSchema, event.payload).transfer);
  const result =
    transfer.status === TransferStatus.SUCCESS
      ? { response_code: 'SP000', response_message: 'Success' }
      : { response_code: 'SP001', response_message: 'Transaction failure' };
  return {
    event: 'disbursement',
    setting: 'disbursement_notif_url',
    body: { ...result, event: 'disbursement', data: presentTransferForWebhook(transfer) },
  };
}
