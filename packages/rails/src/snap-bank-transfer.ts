import { formatSen, jakartaIso } from '@gerbang/core';
import type { BankTransferRail, BankTransferRequest } from './bank-transfer.ts';
import { newExternalId, orUnknown } from './snap-call.ts';
import { openSnapClient, type SnapCredentials, type SnapService } from './snap-client.ts';
import { readAccount, readStatus, readTransfer } from './snap-outcomes.ts';

const INQUIRY: SnapService = { path: '/v1.0/account-inquiry-external', code: '16' };
const TRANSFER: SnapService = { path: '/v1.0/transfer-interbank', code: '18' };
const STATUS: SnapService = { path: '/v1.0/transfer/status', code: '36' };

export type SnapBankTransferOptions = SnapCredentials & {
  /** Our account that pays, where the bank wants it named. */
  sourceAccountNumber?: string;
};

/** A bank that speaks SNAP's account inquiry (16), interbank transfer (18) and transfer status (36). `now` is real time. */
export function openSnapBankTransfer(options: SnapBankTransferOptions, now: () => number = Date.now): BankTransferRail {
  const snap = openSnapClient(options, now);
  return {
    inquireAccount: ({ bankCode, accountNumber, partnerReference }, { signal }) =>
      orUnknown(async () => {
        const body = {
          partnerReferenceNo: partnerReference,
          beneficiaryBankCode: bankCode,
          beneficiaryAccountNo: accountNumber,
        };
        return readAccount(await snap.post({ service: INQUIRY, externalId: newExternalId(now()), body, signal }));
      }),
    transfer: (request, { signal, firstSend = false }) =>
      orUnknown(async () => {
        const body = toBody(request, options.sourceAccountNumber);
        const answer = await snap.post({ service: TRANSFER, externalId: request.externalId, body, signal });
        return readTransfer(answer, request, { first: firstSend });
      }),
    inquireTransfer: (request, { signal }) =>
      orUnknown(async () => {
        const body = {
          originalPartnerReferenceNo: request.partnerReference,
          originalExternalId: request.externalId,
          serviceCode: TRANSFER.code,
        };
        return readStatus(await snap.post({ service: STATUS, externalId: newExternalId(now()), body, signal }), request);
      }),
    close: () => snap.close(),
  };
}

/** The body of a transfer: the same text for the same request, whenever it is sent. */
function toBody(request: BankTransferRequest, sourceAccountNumber: string | undefined): object {
  return {
    partnerReferenceNo: request.partnerReference,
    amount: { value: formatSen(BigInt(request.amountSen)), currency: 'IDR' },
    // SNAP wants a name; where the merchant gave none, the number is the only thing that is true of the account.
    beneficiaryAccountName: request.beneficiaryAccountName || request.beneficiaryAccountNumber,
    beneficiaryAccountNo: request.beneficiaryAccountNumber,
    beneficiaryBankCode: request.beneficiaryBankCode,
    ...(sourceAccountNumber !== undefined && { sourceAccountNo: sourceAccountNumber }),
    transactionDate: jakartaIso(request.createdAtMs),
    additionalInfo: {
      merchantReference: request.merchantReference,
      ...(request.transactionId !== undefined && { transactionId: request.transactionId }),
      remark: request.remark,
    },
  };
}
