import { fromBinary } from '@bufbuild/protobuf';
import { EWALLET_CHANNELS } from '@gerbang/core';
import { type CheckWalletResponse, EwalletTopupFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import type { Transfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { moneyOutResult, moneyOutResultFields } from './money-out-webhook.ts';
import { EwalletChannel, EwalletTransactionId } from './schemas.ts';
import { textOrNull, wordOf } from './text.ts';
import { moneyOutFields, moneyOutFieldsOfWebhook, presentMoneyOut, presentMoneyOutForWebhook } from './transfer.ts';
import { carried, renderedBy } from './webhook-event.ts';

const PhoneNumber = z.string().meta({ description: 'As the request had it.', examples: ['081234567890'] });

/** The top-up's own fields; its id replaces that of other products. */
const topupFields = {
  transaction_id: EwalletTransactionId,
  channel: EwalletChannel,
  phone_number: PhoneNumber,
  name: z.string().nullable().meta({ description: "The customer's name at the e-wallet; null where it is not known." }),
  note: z.string().nullable(),
};

export const ewalletTopupSchema = z
  .strictObject({ ...moneyOutFields, ...topupFields })
  .meta({ id: 'EwalletTopup', description: 'Money sent from an account to a customer’s e-wallet.' });

export const ewalletTopupForWebhookSchema = z
  .strictObject({ ...moneyOutFieldsOfWebhook, ...topupFields })
  .meta({ id: 'EwalletTopupOfWebhook', description: 'Money sent to an e-wallet, with times in Unix milliseconds.' });

export type EwalletTopupJson = z.output<typeof ewalletTopupSchema>;
export type EwalletTopupForWebhookJson = z.output<typeof ewalletTopupForWebhookSchema>;

/** An e-wallet top-up as REST answers carry it (contract §6). */
export function presentEwalletTopup(transfer: Transfer): EwalletTopupJson {
  return { ...presentMoneyOut(transfer), ...presentTopup(transfer) };
}

/** The same as webhooks carry it (contract §10). */
export function presentEwalletTopupForWebhook(transfer: Transfer): EwalletTopupForWebhookJson {
  return { ...presentMoneyOutForWebhook(transfer), ...presentTopup(transfer) };
}

function presentTopup({ transactionId, ewalletTopup, description }: Transfer) {
  if (ewalletTopup === undefined) throw new Error(`transfer ${transactionId} is no e-wallet top-up`);
  const { channel, phoneNumber, name } = ewalletTopup;
  return {
    channel: wordOf(EWALLET_CHANNELS, channel, 'e-wallet'),
    phone_number: phoneNumber,
    name: textOrNull(name),
    note: textOrNull(description),
  };
}

export const walletSchema = z
  .strictObject({
    channel: EwalletChannel,
    phone_number: PhoneNumber,
    status: z.literal('valid').meta({ description: 'The e-wallet knows the number; one that it does not know is an error.' }),
    name: z.string().meta({ description: "The customer's name at the e-wallet." }),
  })
  .meta({ id: 'Wallet', description: 'A customer’s e-wallet that was verified.' });

export type WalletJson = z.output<typeof walletSchema>;

/** A verified e-wallet (contract §6). */
export function presentWallet({ channel, phoneNumber, name }: CheckWalletResponse): WalletJson {
  return { channel: wordOf(EWALLET_CHANNELS, channel, 'e-wallet'), phone_number: phoneNumber, status: 'valid', name };
}

const EVENT = 'ewallet-topup';

const bodySchema = z
  .strictObject({ ...moneyOutResultFields, event: z.literal(EVENT), data: ewalletTopupForWebhookSchema })
  .meta({ id: 'EwalletTopupWebhook', description: 'The end of an e-wallet top-up.' });

/** The end of an e-wallet top-up (contract §10). */
export const ewalletTopupWebhook = renderedBy(
  {
    event: EVENT,
    setting: 'disbursement_notif_url',
    description: 'An e-wallet top-up has reached the customer, has failed, was canceled, or came back after it had succeeded.',
    body: bodySchema,
  },
  (event) => {
    const transfer = carried(event, fromBinary(EwalletTopupFinishedSchema, event.payload).transfer);
    return { ...moneyOutResult(transfer.status), event: EVENT, data: presentEwalletTopupForWebhook(transfer) };
  },
);
