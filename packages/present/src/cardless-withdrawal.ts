import { fromBinary } from '@bufbuild/protobuf';
import { VA_BANK_CODES } from '@gerbang/core';
import {
  CardlessWithdrawalFinishedSchema,
  CardlessWithdrawalStatus as Status,
} from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { type Transfer, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { moneyOutResult, moneyOutResultFields } from './money-out-webhook.ts';
import { BankShortName, Timestamp, UnixMillisecondsText } from './schemas.ts';
import { textOrNull, wordOf } from './text.ts';
import { iso } from './time.ts';
import { moneyOutFields, moneyOutFieldsOfWebhook, presentMoneyOut, presentMoneyOutForWebhook } from './transfer.ts';
import { carried, renderedBy } from './webhook-event.ts';

export const CardlessWithdrawalStatus = z.enum(['pending', 'active', 'withdrawn', 'expired', 'canceled', 'failed']).meta({
  id: 'CardlessWithdrawalStatus',
  description:
    'pending: the bank has given no code yet; active: the customer can draw the cash, also while a cancellation or expiry waits ' +
    "for the bank's answer; withdrawn: the cash is drawn.",
});

type Word = z.output<typeof CardlessWithdrawalStatus>;

const statusOfWord: Record<Word, Status> = {
  pending: Status.PENDING,
  active: Status.ACTIVE,
  withdrawn: Status.WITHDRAWN,
  expired: Status.EXPIRED,
  canceled: Status.CANCELED,
  failed: Status.FAILED,
};

/** The status behind a word, for list filters. */
export function cardlessWithdrawalStatusOf(word: Word): Status {
  return statusOfWord[word];
}

const ownFields = {
  status: CardlessWithdrawalStatus,
  bank_code: BankShortName,
  bank_name: z.string(),
  phone_number: z.string().meta({ description: "The customer's phone number." }),
};

export const cardlessWithdrawalSchema = z
  .strictObject({
    ...moneyOutFields,
    ...ownFields,
    expired_at: Timestamp.meta({ description: 'Until when the customer can draw the cash.' }),
  })
  .meta({
    id: 'CardlessWithdrawal',
    description: 'Cash that a customer draws at a machine with a code. The code is not shown here.',
  });

export const cardlessWithdrawalWithCodeSchema = cardlessWithdrawalSchema
  .extend({
    withdrawal_code: z
      .string()
      .regex(/^[0-9]{6,20}$/)
      .nullable()
      .meta({ description: 'With this code the customer draws the cash; null unless the withdrawal is active.' }),
  })
  .meta({ id: 'CardlessWithdrawalWithCode', description: 'Cash that a customer draws at a machine, with the code.' });

const forWebhookSchema = z.strictObject({ ...moneyOutFieldsOfWebhook, ...ownFields, expired_at: UnixMillisecondsText }).meta({
  id: 'CardlessWithdrawalOfWebhook',
  description: 'Cash that a customer draws at a machine, with times in Unix milliseconds and without the code.',
});

export type CardlessWithdrawalJson = z.output<typeof cardlessWithdrawalSchema>;
export type CardlessWithdrawalWithCodeJson = z.output<typeof cardlessWithdrawalWithCodeSchema>;

/** A withdrawal as lists and cancellations answer it: without its code. */
export function presentCardlessWithdrawal(transfer: Transfer): CardlessWithdrawalJson {
  const { expiredAtMs, ...own } = presentOwn(transfer);
  return { ...presentMoneyOut(transfer), ...own, expired_at: iso(expiredAtMs) };
}

/** A withdrawal with its code, which may be empty. */
export function presentCardlessWithdrawalWithCode(transfer: Transfer, code: string): CardlessWithdrawalWithCodeJson {
  return { ...presentCardlessWithdrawal(transfer), withdrawal_code: textOrNull(code) };
}

function presentOwn(transfer: Transfer) {
  const { cardlessWithdrawal: details, transactionId } = transfer;
  if (details === undefined) throw new Error(`${transactionId} is no cardless withdrawal`);
  return {
    status: wordFor(transfer.status, details.expired),
    bank_code: wordOf(VA_BANK_CODES, details.bankCode, 'bank'),
    bank_name: details.bankName,
    phone_number: details.phoneNumber,
    expiredAtMs: details.expiredAtMs,
  };
}

/**
 * The statuses of contract §6. Money that came back after the cash was said to be drawn is failed, with transaction status 04.
 */
function wordFor(status: TransferStatus, expired: boolean): Word {
  switch (status) {
    case TransferStatus.INITIATED:
    case TransferStatus.PAYING:
      return 'pending';
    case TransferStatus.PENDING:
      return 'active';
    case TransferStatus.SUCCESS:
      return 'withdrawn';
    case TransferStatus.CANCELED:
      return expired ? 'expired' : 'canceled';
    case TransferStatus.FAILED:
    case TransferStatus.REFUNDED:
      return 'failed';
    case TransferStatus.UNSPECIFIED:
      throw new Error('a cardless withdrawal has no status');
    default:
      return status satisfies never;
  }
}

const EVENT = 'cardless-withdrawal';

const bodySchema = z
  .strictObject({ ...moneyOutResultFields, event: z.literal(EVENT), data: forWebhookSchema })
  .meta({ id: 'CardlessWithdrawalWebhook', description: 'The end of a cardless withdrawal.' });

/** The end of a cardless withdrawal (contract §10). */
export const cardlessWithdrawalWebhook = renderedBy(
  {
    event: EVENT,
    setting: 'disbursement_notif_url',
    description: 'The cash of a cardless withdrawal was drawn, or it has expired, was canceled, has failed or came back.',
    body: bodySchema,
  },
  (event) => {
    const transfer = carried(event, fromBinary(CardlessWithdrawalFinishedSchema, event.payload).transfer);
    const { expiredAtMs, ...own } = presentOwn(transfer);
    const data = { ...presentMoneyOutForWebhook(transfer), ...own, expired_at: String(expiredAtMs) };
    return { ...moneyOutResult(transfer.status), event: EVENT, data } as const;
  },
);
