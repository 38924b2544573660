import { formatSen, jakartaIso } from '@gerbang/core';
import { aspi } from '../providers/aspi.ts';
import { externalIdFor } from '../providers/external-id.ts';
import { serviceOf } from '../providers/provider.ts';
import { newExternalId, orUnknown } from '../snap-call.ts';
import { openSnapClient, type SnapCredentials } from '../snap-client.ts';
import { readAccount, readStatus, readTransfer } from './outcomes.ts';
import type { BankTransferRail, BankTransferRequest } from './port.ts';

export type SnapBankTransferOptions = SnapCredentials & {
  /** Our account that pays, where the bank wants it named. */
  sourceAccountNumber?: string;
};

/** A bank that speaks SNAP's account inquiry (16), interbank transfer (18) and transfer status (36). `now` is real time. */
export function openSnapBankTransfer(options: SnapBankTransferOptions, now: () => number = Date.now): BankTransferRail {
  const { provider = aspi } = options;
  const inquiry = serviceOf(provider, 'accountInquiryExternal');
  const interbank = serviceOf(provider, 'transferInterbank');
  const status = serviceOf(provider, 'transferStatus');
  const snap = openSnapClient(options, now);
  return {
    inquireAccount: ({ bankCode, accountNumber, partnerReference }, { signal }) =>
      orUnknown(async () => {
        const body = {
          partnerReferenceNo: partnerReference,
          beneficiaryBankCode: bankCode,
          beneficiaryAccountNo: accountNumber,
        };
        return readAccount(await snap.post({ service: inquiry, externalId: newExternalId(now()), body, signal }));
      }),
    transfer: (request, { signal, firstSend = false }) =>
      orUnknown(async () => {
        const body = toBody(request, options.sourceAccountNumber);
        const answer = await snap.post({ service: interbank, externalId: request.externalId, body, signal });
        return readTransfer(answer, request, { firstSend });
      }),
    inquireTransfer: (request, { signal }) =>
      orUnknown(async () => {
        const body = {
          originalPartnerReferenceNo: request.partnerReference,
          originalExternalId: externalIdFor(interbank, request.externalId),
          serviceCode: interbank.code,
        };
        return readStatus(await snap.post({ service: status, externalId: newExternalId(now()), body, signal }), request);
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
