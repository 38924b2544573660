import { createHash } from 'node:crypto';
import { JAKARTA_OFFSET_MS } from '@gerbang/core';
import type { Fields } from '../../iso8583/index.ts';
import type { CardData } from '../card-data.ts';
import type { AuthorisationRequest, AuthorisedPayment, CardRail } from '../port.ts';
import { writePrivateData } from './private-data.ts';

/** What the acquirer knows us by: terminal (field 41), card acceptor (42), our institution (32; may be empty), our city (43). */
export type Acceptor = { terminalId: string; merchantId: string; acquirerId: string; city: string };

/** A message without what the link sets: trace number and transmission time. */
export type Request = { type: string; fields: Fields };

const RUPIAH = '360';
const PURCHASE = '000000';
const REFUND = '200000';
const E_COMMERCE = '59';
/** Entered by the customer at a shop in the internet, and kept on file; 2: there is no PIN. */
const ENTERED_ONLINE = '812';
const KEPT_ON_FILE = '102';
const NOT_AUTHENTICATED = '07';
const REFERENCE_CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** 0100: the only message with a card. */
export function authorisationRequest(acceptor: Acceptor, request: AuthorisationRequest, card: CardData, nowMs: number): Request {
  const { number, expiry, cvv = '' } = card.reveal();
  const [month = '', year = ''] = expiry.split('/');
  const isMerchant = request.initiated === 'merchant';
  return {
    type: '0100',
    fields: {
      2: number,
      3: PURCHASE,
      ...common(acceptor, request.reference, request.amountSen),
      ...localTime(nowMs),
      14: `${year}${month}`,
      22: isMerchant ? KEPT_ON_FILE : ENTERED_ONLINE,
      25: E_COMMERCE,
      43: acceptorName(request.merchantName, acceptor.city),
      48: writePrivateData({
        reference: request.reference,
        installmentMonths: request.installmentMonths > 1 ? String(request.installmentMonths).padStart(2, '0') : '',
        initiatedBy: isMerchant ? 'M' : '',
        networkTransactionId: request.networkTransactionId ?? '',
        eci: isMerchant ? '' : NOT_AUTHENTICATED,
        cvv,
      }),
    },
  };
}

/** 0220, and 0221 where it is repeated: the authorised amount is taken. */
export function captureAdvice(acceptor: Acceptor, payment: AuthorisedPayment, nowMs: number): Request {
  return {
    type: payment.tries ? '0221' : '0220',
    fields: {
      3: PURCHASE,
      ...common(acceptor, payment.reference, payment.amountSen),
      ...localTime(nowMs),
      ...approvalOf(payment),
      48: writePrivateData({ reference: payment.reference }),
    },
  };
}

/** 0400 the first time, then the advice 0420, then its repetitions 0421: the authorisation is taken back. */
export function reversal(acceptor: Acceptor, payment: AuthorisedPayment): Request {
  const { tries = 0 } = payment;
  return {
    type: tries === 0 ? '0400' : tries === 1 ? '0420' : '0421',
    fields: {
      3: PURCHASE,
      ...common(acceptor, payment.reference, payment.amountSen),
      ...approvalOf(payment),
      48: writePrivateData({ reference: payment.reference }),
      // The process that knew trace number and time of the original may be gone: the standard has zeros then.
      90: `0100${'0'.repeat(16)}${acceptor.acquirerId.padStart(11, '0')}${'0'.repeat(11)}`,
    },
  };
}

/** 0200 with processing code 20, and 0201 where it is repeated: the amount goes back to the card. */
export function refundRequest(acceptor: Acceptor, asked: Parameters<CardRail['refund']>[0], nowMs: number): Request {
  const { reference, refundReference, amountSen, tries } = asked;
  return {
    type: tries ? '0201' : '0200',
    fields: {
      3: REFUND,
      ...common(acceptor, refundReference, amountSen),
      ...localTime(nowMs),
      48: writePrivateData({ reference: refundReference, originalReference: reference }),
    },
  };
}

/** Field 37: twelve letters and digits of a hash of our reference, so that every process finds it again. */
export function retrievalReference(reference: string): string {
  const bytes = createHash('sha256').update(reference).digest().subarray(0, 12);
  return Array.from(bytes, (byte) => REFERENCE_CHARACTERS.charAt(byte % REFERENCE_CHARACTERS.length)).join('');
}

function common({ terminalId, merchantId, acquirerId }: Acceptor, reference: string, amountSen: string): Fields {
  return {
    4: amountSen.padStart(12, '0'),
    ...(acquirerId !== '' && { 32: acquirerId }),
    37: retrievalReference(reference),
    41: terminalId.padEnd(8),
    42: merchantId.padEnd(15),
    49: RUPIAH,
  };
}

function approvalOf({ approvalCode = '' }: AuthorisedPayment): Fields {
  return approvalCode === '' ? {} : { 38: approvalCode.padEnd(6) };
}

/** Date and time where the merchant is. */
function localTime(nowMs: number): Fields {
  const digits = new Date(nowMs + JAKARTA_OFFSET_MS).toISOString().replace(/[-:T]/g, '');
  return { 12: digits.slice(8, 14), 13: digits.slice(4, 8) };
}

/** Name 25, city 13, country 2. */
function acceptorName(name: string, city: string): string {
  return `${plain(name, 25)}${plain(city, 13)}ID`;
}

/** The letters without their accents, and a space for what the field can't hold. */
function plain(text: string, length: number): string {
  const letters = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return letters
    .replace(/[^A-Za-z0-9 .,&'()/-]/gu, ' ')
    .slice(0, length)
    .padEnd(length);
}
