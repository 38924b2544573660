import { jakartaDay } from '@gerbang/core';
import type { BankTransferRail } from '@gerbang/rails/bank-transfer';
import type { Product } from '../transfer/product.ts';
import { beneficiaryOf, DISBURSEMENT } from './content.ts';
import { readDetails, storedCause } from './document.ts';
import { toEvent, toMessage } from './message.ts';
import { readRequest, toRequest, writeRequest } from './rail-request.ts';

/** The disbursement: a transfer to a bank account. Its rail executes a request at once or soon and cannot cancel it. */
export function createDisbursement(rail: Pick<BankTransferRail, 'transfer' | 'inquireTransfer'>): Product {
  return {
    name: DISBURSEMENT,
    rail: 'bank-transfer',
    channelOf: (details) => readDetails(details).railBankCode,
    beneficiaryOf: (details) => beneficiaryOf(readDetails(details)),
    requestOf: (order, details, nowMs) => writeRequest(toRequest(order, readDetails(details), nowMs)),
    send: async (request, options) => rail.transfer(readRequest(request), options),
    inquire: async (request, options) => rail.inquireTransfer(readRequest(request), options),
    // SNAP's external id is unique for a day: after that the bank cannot recognize a repetition.
    mayResend: (request, nowMs) => jakartaDay(readRequest(request).createdAtMs) === jakartaDay(nowMs),
    toMessage,
    toEvent,
    storedCause,
  };
}
