import { jakartaIso } from '@gerbang/core';
import { aspi } from '../providers/aspi.ts';
import { externalIdFor } from '../providers/external-id.ts';
import type { SnapService } from '../providers/provider.ts';
import { createSnapCalls, orUnknown, toSnapAmount } from '../snap-call.ts';
import { openSnapClient, type SnapCredentials } from '../snap-client.ts';
import { readAccount, readPrecedingInquiry, readStatus, readTransfer } from './outcomes.ts';
import type { BankTransferRail, BankTransferRequest, BankTransferResult } from './port.ts';
import { createRoutes } from './routes.ts';

export type SnapBankTransferOptions = SnapCredentials & {
  /** Our account that pays, where the bank wants it named. */
  sourceAccountNumber?: string;
};

/**
 * A bank that speaks SNAP's account inquiry (16), interbank transfer (18) and transfer status (36); a provider may have 15 and 17
 * for its own accounts. Throws where the provider lacks a service, or wants another source account. `now` is real time.
 */
export function openSnapBankTransfer(options: SnapBankTransferOptions, now: () => number = Date.now): BankTransferRail {
  const { provider = aspi, sourceAccountNumber } = options;
  const routes = createRoutes(provider, sourceAccountNumber);
  const snap = openSnapClient(options, now);
  const call = createSnapCalls(snap, now);

  const send = (service: SnapService, body: object, { request, signal, firstSend }: Sending) =>
    orUnknown(async () => {
      const answer = await snap.post({ service, externalId: request.externalId, body, signal });
      return readTransfer(answer, request, { firstSend });
    });

  /** Within the bank a transfer has the reference of an inquiry right before it, which may be final already. */
  const sendIntrabank = async ({ inquiry, transfer }: { inquiry: SnapService; transfer: SnapService }, sending: Sending) => {
    const { request, signal, firstSend } = sending;
    const asked = { partnerReferenceNo: request.partnerReference, beneficiaryAccountNo: request.beneficiaryAccountNumber };
    const ended = await call(inquiry, asked, signal, (answer) => readPrecedingInquiry(answer, { firstSend }));
    return ended ?? send(transfer, toIntrabank(request, sourceAccountNumber), sending);
  };

  return {
    inquireAccount: ({ bankCode, accountNumber, partnerReference }, { signal }) => {
      const { inquiry, isIntrabank } = routes.of(bankCode);
      const account = { partnerReferenceNo: partnerReference, beneficiaryAccountNo: accountNumber };
      const body = isIntrabank ? account : { ...account, beneficiaryBankCode: routes.bankCodeFor(bankCode) };
      return call(inquiry, body, signal, readAccount);
    },
    transfer(request, { signal, firstSend = false }): Promise<BankTransferResult> {
      const route = routes.of(request.beneficiaryBankCode);
      const sending = { request, signal, firstSend };
      if (route.isIntrabank) return sendIntrabank(route, sending);
      const bankCode = routes.bankCodeFor(request.beneficiaryBankCode);
      return send(route.transfer, toInterbank(request, bankCode, sourceAccountNumber), sending);
    },
    inquireTransfer: (request, { signal }) => {
      const { transfer } = routes.of(request.beneficiaryBankCode);
      const body = {
        originalPartnerReferenceNo: request.partnerReference,
        originalExternalId: externalIdFor(transfer, request.externalId),
        serviceCode: transfer.code,
        transactionDate: jakartaIso(request.createdAtMs),
      };
      return call(routes.status, body, signal, (answer) => readStatus(answer, request));
    },
    close: () => snap.close(),
  };
}

type Sending = { request: BankTransferRequest; signal: AbortSignal; firstSend: boolean };

const REMARK_LENGTH_MAX = 50;

/** The body of a transfer to another bank: the same text for the same request, whenever it is sent. */
function toInterbank(request: BankTransferRequest, bankCode: string, sourceAccountNumber: string | undefined): object {
  return {
    partnerReferenceNo: request.partnerReference,
    amount: toSnapAmount(BigInt(request.amountSen)),
    // SNAP wants a name; where the merchant gave none, the number is the only thing that is true of the account.
    beneficiaryAccountName: request.beneficiaryAccountName || request.beneficiaryAccountNumber,
    beneficiaryAccountNo: request.beneficiaryAccountNumber,
    beneficiaryBankCode: bankCode,
    ...(sourceAccountNumber !== undefined && { sourceAccountNo: sourceAccountNumber }),
    transactionDate: jakartaIso(request.createdAtMs),
    additionalInfo: { ...toOwnNames(request), remark: request.remark },
  };
}

/** The same within the bank, where the remark has a field. */
function toIntrabank(request: BankTransferRequest, sourceAccountNumber: string | undefined): object {
  return {
    partnerReferenceNo: request.partnerReference,
    amount: toSnapAmount(BigInt(request.amountSen)),
    beneficiaryAccountNo: request.beneficiaryAccountNumber,
    ...(request.remark !== '' && { remark: request.remark.slice(0, REMARK_LENGTH_MAX) }),
    ...(sourceAccountNumber !== undefined && { sourceAccountNo: sourceAccountNumber }),
    transactionDate: jakartaIso(request.createdAtMs),
    additionalInfo: toOwnNames(request),
  };
}

/** What we and the merchant call the transfer, which the bank keeps beside it. */
function toOwnNames({ merchantReference, transactionId }: BankTransferRequest) {
  return { merchantReference, ...(transactionId !== undefined && { transactionId }) };
}
