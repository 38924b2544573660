import { fromBinary } from '@bufbuild/protobuf';
import { DisbursementFinishedSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { presentMoneyInWebhook } from './money-in-webhook.ts';
import { presentTransferForWebhook } from './transfer.ts';

/** Which of a merchant's callback URLs an event goes to (merchant-api.md, Events). */
export type UrlSetting =
  | 'transaction_notif_url'
  | 'disbursement_notif_url'
  | 'direct_debit_notif_url'
  | 'payment_link_inquiry_notif_url';

/** A webhook's event name, where it goes and its JSON body. */
export type Webhook = { event: string; setting: UrlSetting; body: object };

/** An event as services publish it. */
export type DomainEvent = { type: string; schema: number; payload: Uint8Array; atMs: number };

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
