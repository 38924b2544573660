import { fromBinary } from '@bufbuild/protobuf';
import { toMoney } from '@gerbang/core';
import {
  type Chargeback,
  ChargebackEventSchema,
  ChargebackStage as Stage,
  ChargebackStatus as Status,
} from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { z } from 'zod';
import { CardTransactionId } from './card-transaction.ts';
import { notification } from './money-in-webhook.ts';
import { Money, Timestamp, Ulid } from './schemas.ts';
import { textOrNull, wordOf } from './text.ts';
import { iso, isoOrNull } from './time.ts';
import { carried } from './webhook-event.ts';

export const ChargebackStatus = z.enum(['open', 'won', 'lost']).meta({
  id: 'CardChargebackStatus',
  description: 'open: its amount is reserved; won: it is back, also where the acquirer has withdrawn it; lost: it is gone.',
});

const STAGES = {
  [Stage.UNSPECIFIED]: undefined,
  [Stage.CHARGEBACK]: 'chargeback',
  [Stage.PRE_ARBITRATION]: 'pre-arbitration',
} as const;

export const chargebackSchema = z
  .strictObject({
    id: Ulid,
    account_id: Ulid,
    card_transaction_id: CardTransactionId,
    status: ChargebackStatus,
    stage: z.enum(['chargeback', 'pre-arbitration']).meta({ description: 'pre-arbitration: the issuer does not accept an end.' }),
    amount: Money,
    reserved_amount: Money.meta({
      description: 'What was taken from the account for it, without the fee; less than amount where the payment was refunded.',
    }),
    fee: Money.meta({ description: 'Taken with the reserve; it is given back where the chargeback is won.' }),
    reason_code: z.string().nullable().meta({ description: "The card network's." }),
    reason: z.string().nullable(),
    respond_by: Timestamp.nullable().meta({ description: 'Until when your evidence has to be there.' }),
    merchant_reff_no: z.string().nullable().meta({ description: "The merchant's own reference of the payment." }),
    created_at: Timestamp,
    ended_at: Timestamp.nullable().meta({ description: 'When it was won or lost.' }),
  })
  .meta({ id: 'CardChargeback', description: 'A payment by card that its card holder disputes at the bank.' });

export type ChargebackJson = z.output<typeof chargebackSchema>;

/** A chargeback as the merchant's API shows it: no reference of the acquirer. */
export function presentChargeback(chargeback: Chargeback): ChargebackJson {
  const stage = STAGES[chargeback.stage];
  if (stage === undefined) throw new Error('a chargeback has no stage');
  return {
    id: chargeback.id,
    account_id: chargeback.accountId,
    card_transaction_id: chargeback.cardTransactionId,
    status: wordOf(ChargebackStatus.options, Status[chargeback.status].toLowerCase(), 'status of a chargeback'),
    stage,
    amount: toMoney(chargeback.amountSen),
    reserved_amount: toMoney(chargeback.reservedSen),
    fee: toMoney(chargeback.feeSen),
    reason_code: textOrNull(chargeback.reasonCode),
    reason: textOrNull(chargeback.reason),
    respond_by: isoOrNull(chargeback.respondByMs),
    merchant_reff_no: textOrNull(chargeback.merchantReffNo),
    created_at: iso(chargeback.createdAtMs),
    ended_at: isoOrNull(chargeback.endedAtMs),
  };
}

const STATUSES = { open: Status.OPEN, won: Status.WON, lost: Status.LOST } as const;

/** The status behind a word, for list filters. */
export function chargebackStatusOf(word: z.output<typeof ChargebackStatus>): Status {
  return STATUSES[word];
}

export const cardChargebackWebhook = notification({
  event: 'card-chargeback',
  id: 'CardChargebackWebhook',
  description: 'A chargeback of a payment by card was opened, won or lost.',
  data: chargebackSchema,
})((event) => presentChargeback(carried(event, fromBinary(ChargebackEventSchema, event.payload).chargeback)));
