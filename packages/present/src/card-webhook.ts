import { fromBinary } from '@bufbuild/protobuf';
import { CardTransactionEventSchema } from '@gerbang/proto/gerbang/cards/v1/cards';
import { cardTransactionSchema, presentCardTransaction } from './card-transaction.ts';
import { notification } from './money-in-webhook.ts';
import { carried } from './webhook-event.ts';

export const cardTransactionWebhook = notification({
  event: 'card-transaction',
  id: 'CardTransactionWebhook',
  description: 'A payment by card has succeeded, has failed, or was cancelled or refunded.',
  data: cardTransactionSchema,
})((event) => presentCardTransaction(carried(event, fromBinary(CardTransactionEventSchema, event.payload).payment)));
