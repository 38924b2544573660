import { fromBinary } from '@bufbuild/protobuf';
import { DisbursementFinishedSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { presentMoneyInWebhook } from './money-in-webhook.ts';
import { presentTransferForWebhook } from './transfer.ts';
import type { DomainEvent, Webhook } from './webhook-event.ts';

export type { DomainEvent, UrlSetting, Webhook } from './webhook-event.ts';

/**
 * What merchants are told of a service's event; undefined when they are told nothing. Throws when the payload cannot be read: such an event is kept
 * with the reason and can be rendered again after a fix.
 */
export function presentWebhook(service: string, event: DomainEvent): Webhook | undefined {
  if (service === 'money-in') return presentMoneyInWebhook(event);
  switch (`${service}/${event.type}`) {
    case 'money-out/disbursement.succeeded':
    case 'money-out/disbursement.failed':
      return disbursement(event);
    default:
      return undefined;
  }
}

function disbursement(event: DomainEvent): Webhook {
  const { transfer } = fromBinary(DisbursementFinishedSchema, event.payload);
  if (transfer === undefined) throw new Error(`${event.type} carries no transfer`);
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
