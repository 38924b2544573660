import { EWALLET_CHANNELS, PAYMENT_METHODS, RETAIL_CODES, VA_BANK_CODES } from '@gerbang/core';
import { z } from 'zod';

// Named schemas that several answers share. Answers are never parsed with them at run time: they give the presentations their
// types, and the API's document its components.

export const Money = z
  .strictObject({
    value: z
      .string()
      .regex(/^-?[0-9]+\.[0-9]{2}$/)
      .meta({ description: 'A decimal with exactly two places.' }),
    currency: z.literal('IDR'),
  })
  .meta({ id: 'Money', description: 'An amount in rupiah.', examples: [{ value: '150000.00', currency: 'IDR' }] });

/** One object and no union: a generated client has one type for it. */
export const MoneyOrNull = z
  .strictObject({ value: Money.shape.value.nullable(), currency: Money.shape.currency.nullable() })
  .meta({ id: 'MoneyOrNull', description: 'An amount in rupiah; value and currency are null where there is none.' });

export const Timestamp = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/)
  .meta({
    id: 'Timestamp',
    format: 'date-time',
    description: 'ISO 8601 in UTC with milliseconds.',
    examples: ['2026-11-21T08:30:00.123Z'],
  });

export const UnixMilliseconds = z
  .int()
  .min(1_000_000_000_000)
  .max(9_999_999_999_999)
  .meta({
    id: 'UnixMilliseconds',
    description: 'Unix time in milliseconds, 13 digits.',
    examples: [1795249800123],
  });

export const UnixMillisecondsText = z
  .string()
  .regex(/^[0-9]{13}$/)
  .meta({
    id: 'UnixMillisecondsText',
    description: 'Unix time in milliseconds as a text of 13 digits, as webhooks have it.',
    examples: ['1795249800123'],
  });

export const JakartaDateTime = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$/)
  .meta({ id: 'JakartaDateTime', description: 'Date and time in Asia/Jakarta.', examples: ['2026-11-21 15:30:00'] });

export const WebhookTimestamp = z
  .string()
  .regex(/^[0-9]{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}$/)
  .meta({
    id: 'WebhookTimestamp',
    description: 'When the event occurred, `d M Y H:i:s` in Asia/Jakarta.',
    examples: ['21 Nov 2026 15:30:00'],
  });

export const Ulid = z
  .string()
  .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  .meta({ id: 'Ulid', description: 'A ULID in upper case.', examples: ['01KAJ5ZQ2M8R4T6V1X3Y5Z7A9B'] });

export const QrisReference = z
  .string()
  .regex(/^66[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  .meta({ id: 'QrisReference', description: 'The prefix 66 and a ULID.', examples: ['6601KAJ5Z0M1N2P3Q4R5S6T7V8W9'] });

export const EwalletTransactionId = z
  .string()
  .regex(/^88[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  .meta({ id: 'EwalletTransactionId', description: 'The prefix 88 and a ULID.', examples: ['8801KAJ5Z4D5E6F7G8H9J0K1M2N3'] });

export const PaymentLinkReference = z
  .string()
  .regex(/^PL[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  .meta({ id: 'PaymentLinkReference', description: 'The prefix PL and a ULID.', examples: ['PL01KAJ5YA0B1C2D3E4F5G6H7J8K'] });

export const PaymentLinkHistoryReference = z
  .string()
  .regex(/^PH[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  .meta({
    id: 'PaymentLinkHistoryReference',
    description: 'The prefix PH and a ULID; unique for each opening of a link.',
    examples: ['PH01KAJ5YC2D3E4F5G6H7J8K9M0N'],
  });

export const ReferenceNumber = z
  .string()
  .regex(/^[\x20-\x7e]{1,64}$/)
  .meta({ id: 'ReferenceNumber', description: "The merchant's own reference, unique for an account over all money out." });

export const PossibleDuplicateOf = ReferenceNumber.nullable().meta({
  description:
    'The reference under which the same beneficiary and amount were ordered from the account in the 5 minutes before, if any. Nothing is refused for it.',
});

export const BankCode = z
  .string()
  .regex(/^(?:[0-9]{3}|[A-Z]{6}[A-Z0-9]{2})$/)
  .meta({
    id: 'BankCode',
    description: 'A three-digit national code or an eight-character SWIFT code, as the request named the bank.',
    examples: ['014', 'CENAIDJA'],
  });

export const BankAccountNumber = z
  .string()
  .regex(/^[0-9]{6,30}$/)
  .meta({ id: 'BankAccountNumber', description: 'The number of an account at a bank.', examples: ['1234567890'] });

export const BankShortName = z
  .enum(VA_BANK_CODES)
  .meta({ id: 'BankShortName', description: 'The short name of a bank with virtual accounts.' });

export const EwalletChannel = z.enum(EWALLET_CHANNELS).meta({ id: 'EwalletChannel', description: 'An e-wallet.' });

export const RetailCode = z.enum(RETAIL_CODES).meta({ id: 'RetailCode', description: 'A chain of shops.' });

export const PaymentMethodCode = z
  .enum(PAYMENT_METHODS.map(({ code }) => code))
  .meta({ id: 'PaymentMethodCode', description: 'A method by which customers pay payment links.' });

export const VirtualAccountStatus = z.enum(['active', 'completed', 'expired', 'inactive', 'failed']).meta({
  id: 'VirtualAccountStatus',
  description: 'inactive: deleted; completed: paid as often as it may be.',
});

export const PaymentLinkStatus = z.enum(['active', 'completed', 'expired', 'inactive', 'failed']).meta({
  id: 'PaymentLinkStatus',
  description: 'inactive: deleted; completed: paid as often as it may be.',
});

export const PaymentLinkHistoryStatus = z.enum(['pending', 'expired', 'paid', 'failed']).meta({
  id: 'PaymentLinkHistoryStatus',
  description: 'How the session of a customer who opened a link stands.',
});

export const QrisStatus = z
  .enum([
    'open',
    'pending',
    'success',
    'partially-success',
    'expired',
    'canceled',
    'failed',
    'pending-refund',
    'refunded',
    'partially-refunded',
    'failed-refund',
    'reversed',
  ])
  .meta({ id: 'QrisStatus', description: 'The status of a QRIS money-in transaction.' });

export const EwalletStatus = z.enum(['pending', 'success', 'failed', 'expired']).meta({
  id: 'EwalletStatus',
  description: 'The status of an e-wallet checkout.',
});

export const RetailStatus = z.enum(['unpaid', 'paid', 'expired', 'failed']).meta({
  id: 'RetailStatus',
  description: 'The status of a retail transaction. Settlement is no status: see has_settle.',
});

export const TransactionStatusCode = z.enum(['00', '01', '02', '03', '04', '05', '06', '07']).meta({
  id: 'TransactionStatusCode',
  description:
    '00 success; 01 initiated; 02 paying; 03 pending; 04 refunded; 05 canceled; 06 failed; 07 not found. ' +
    '00, 04, 05 and 06 are final.',
});

export const TransactionStatus = z
  .strictObject({
    code: TransactionStatusCode,
    desc: z.enum(['Success', 'Initiated', 'Paying', 'Pending', 'Refunded', 'Canceled', 'Failed', 'Not Found']),
  })
  .meta({ id: 'TransactionStatus', description: 'How a money-out transaction stands.' });

/** A page of a list, as every list answers it (contract §2). */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item).meta({ description: 'Newest first.' }),
    next_cursor: z.string().nullable().meta({ description: 'The cursor of the next page; null on the last one.' }),
  });
}
