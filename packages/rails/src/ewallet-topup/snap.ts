import { jakartaIso } from '@gerbang/core';
import { aspi } from '../providers/aspi.ts';
import { externalIdFor } from '../providers/external-id.ts';
import { type Provider, serviceOf } from '../providers/provider.ts';
import { newExternalId, orUnknown, toSnapAmount } from '../snap-call.ts';
import { openSnapClient, type SnapCredentials } from '../snap-client.ts';
import { EWALLET_TOPUP_PROFILES } from './channels.ts';
import { readTopup, readTopupStatus, readWallet } from './outcomes.ts';
import type { EwalletTopupRail, EwalletTopupRequest, EwalletTopupResult, Wallet } from './port.ts';

/** E-wallets that speak SNAP's account inquiry (37), top-up (38) and top-up status (39). `now` is real time. */
export function openSnapEwalletTopup(credentials: SnapCredentials, now: () => number = Date.now): EwalletTopupRail {
  const { provider = aspi } = credentials;
  const inquiry = serviceOf(provider, 'walletInquiry');
  const topup = serviceOf(provider, 'topup');
  const status = serviceOf(provider, 'topupStatus');
  const snap = openSnapClient(credentials, now);
  return {
    inquireWallet: (wallet, { signal }) =>
      orUnknown(async () => {
        if (!serves(provider, wallet)) return { outcome: 'unknown', reason: OTHER_WALLET };
        const call = { service: inquiry, externalId: newExternalId(now()), body: toInquiry(wallet, provider), signal };
        return readWallet(await snap.post(call), wallet.channel);
      }),
    topUp: (request, { signal, firstSend }) =>
      orUnknown(async () => {
        if (!serves(provider, request)) return refuse({ firstSend });
        const call = { service: topup, externalId: request.externalId, body: toBody(request, provider), signal };
        return readTopup(await snap.post(call), request, { firstSend });
      }),
    inquireTopup: (request, { signal }) =>
      orUnknown(async () => {
        const body = {
          originalPartnerReferenceNo: request.partnerReference,
          originalExternalId: externalIdFor(topup, request.externalId),
          serviceCode: topup.code,
        };
        return readTopupStatus(await snap.post({ service: status, externalId: newExternalId(now()), body, signal }), request);
      }),
    close: () => snap.close(),
  };
}

const OTHER_WALLET = 'the rail does not top up this wallet';

/** The same number is another customer's at another wallet: nothing may be sent there. */
function serves({ ewalletTopup }: Provider, { channel }: Wallet): boolean {
  return ewalletTopup === undefined || ewalletTopup.wallet === 'several' || ewalletTopup.wallet === channel;
}

/** What was sent before went over another rail, whose outcome this one does not know. */
function refuse({ firstSend }: { firstSend: boolean }): EwalletTopupResult {
  if (!firstSend) return { outcome: 'unknown', reason: OTHER_WALLET, needsOperator: true };
  return { outcome: 'failed', code: '', reason: OTHER_WALLET, cause: 'other' };
}

/** SNAP wants an amount, which moves nothing: the smallest one, so that the answer is about the wallet. */
function toInquiry(wallet: Wallet, provider: Provider): object {
  return { ...toCustomer(wallet, provider), amount: toSnapAmount(EWALLET_TOPUP_PROFILES[wallet.channel].minimumSen) };
}

/** The body of a top-up: the same text for the same request, whenever it is sent. */
function toBody(request: EwalletTopupRequest, provider: Provider): object {
  const { additionalInfo, ...customer } = toCustomer(request, provider);
  return {
    partnerReferenceNo: request.partnerReference,
    ...customer,
    amount: toSnapAmount(BigInt(request.amountSen)),
    transactionDate: jakartaIso(request.createdAtMs),
    ...(request.notes !== '' && { notes: request.notes }),
    additionalInfo: { ...additionalInfo, merchantReference: request.merchantReference, transactionId: request.transactionId },
  };
}

/** SNAP has no field for the wallet, since each speaks for itself; a rail to several takes it as additional information. */
function toCustomer({ channel, phoneNumber }: Wallet, { ewalletTopup }: Provider) {
  const isOne = ewalletTopup !== undefined && ewalletTopup.wallet !== 'several';
  return {
    customerNumber: phoneNumber,
    ...(!isOne && { additionalInfo: { beneficiaryProvider: EWALLET_TOPUP_PROFILES[channel].provider } }),
  };
}
