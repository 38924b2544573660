import { randomInt } from 'node:crypto';
import { jakartaIso } from '@gerbang/core';
import { aspi } from '../providers/aspi.ts';
import { externalIdFor } from '../providers/external-id.ts';
import type { SnapService } from '../providers/provider.ts';
import { createSnapCalls, newExternalId, orUnknown, toSnapAmount } from '../snap-call.ts';
import { openSnapClient, type SnapAnswer, type SnapCredentials } from '../snap-client.ts';
import { readAccount, readAuthorized, readBound, readTokens, readUnbound } from './binding-outcomes.ts';
import { readCharge, readChargeState, readRefund, readRefundState, readSentOtp, readVerifiedOtp } from './outcomes.ts';
import type { BindRequest, ChargeRequest, Customer, DirectDebitRail, OtpRequest, RefundRequest } from './port.ts';
import { directDebitServices } from './services.ts';

export type SnapDirectDebitOptions = SnapCredentials & {
  /** By which the bank knows us. */
  merchantId: string;
};

/** The scopes of a customer's consent: the account is shown, charged, and refunded. */
const SCOPES = 'QUERY_BALANCE,DIRECT_DEBIT';

/** A bank that speaks SNAP's binding, OTP, direct debit and customer token services. `now` is real time. */
export function openSnapDirectDebit(options: SnapDirectDebitOptions, now: () => number = Date.now): DirectDebitRail {
  const services = directDebitServices(options.provider ?? aspi);
  const snap = openSnapClient(options, now);
  const call = createSnapCalls(snap, now);
  const { merchantId } = options;

  const asCustomer = <T>(
    service: SnapService,
    sent: { externalId?: string; body: object; customer: Customer; deviceId: string; signal: AbortSignal },
    read: (answer: SnapAnswer) => T,
  ) =>
    orUnknown(async () => {
      const { body, customer, deviceId, signal, externalId = newExternalId(now()) } = sent;
      const headers = { 'authorization-customer': `Bearer ${customer.accessToken}`, 'x-device-id': deviceId };
      return read(await snap.post({ service, externalId, body, signal, headers }));
    });
  const inquire = <T>(reference: string, externalId: string, signal: AbortSignal, read: (answer: SnapAnswer) => T) => {
    const body = {
      originalPartnerReferenceNo: reference,
      originalExternalId: externalIdFor(services.charge, externalId),
      serviceCode: services.charge.code,
      merchantId,
    };
    return call(services.status, body, signal, read);
  };

  return {
    authorize: (request, { signal }) =>
      call(services.authCode, toAuthorization(request, merchantId), signal, (answer) => readAuthorized(answer, request)),
    sendOtp: (request, { signal }) => call(services.otp, toOtp(request, merchantId, now()), signal, readSentOtp),
    verifyOtp: (request, given, { signal }) =>
      call(services.verifyOtp, { ...given, ...toVerification(request, merchantId) }, signal, readVerifiedOtp),
    bind: (request, authCode, { signal }) => call(services.bind, toBinding(request, authCode, merchantId), signal, readBound),
    issueTokens: (proof, { signal }) =>
      orUnknown(async () => {
        const grant = 'authCode' in proof ? { grantType: 'AUTHORIZATION_CODE' } : { grantType: 'REFRESH_TOKEN' };
        return readTokens(await snap.postSigned({ service: services.customerToken, body: { ...grant, ...proof }, signal }));
      }),
    findAccount: (customer, partnerReference, { signal }) =>
      asCustomer(
        services.account,
        { body: { partnerReferenceNo: partnerReference }, customer, deviceId: partnerReference, signal },
        readAccount,
      ),
    // Sent again it has the same external id, by which the bank tells a repetition of the same day.
    charge: (request, { customer, chargeToken }, { signal, firstSend }) => {
      const body = toCharge(request, { accountToken: customer.accountToken, chargeToken }, merchantId);
      const { externalId, deviceId } = request;
      return asCustomer(services.charge, { externalId, body, customer, deviceId, signal }, (answer) =>
        readCharge(answer, { first: firstSend }),
      );
    },
    inquireCharge: (request, { signal }) =>
      inquire(request.partnerReference, request.externalId, signal, (answer) => readChargeState(answer, request)),
    refund: (request, { signal, firstSend }) =>
      orUnknown(async () => {
        const { externalId } = request;
        const answer = await snap.post({
          service: services.refund,
          externalId,
          body: toRefund(request, merchantId, services.charge),
          signal,
        });
        return readRefund(answer, request, { first: firstSend });
      }),
    inquireRefund: (request, { signal }) =>
      inquire(request.originalReference, request.originalExternalId, signal, (answer) => readRefundState(answer, request)),
    unbind: ({ partnerReference, linkId }, customer, { signal }) => {
      const tokenId = customer.accountToken;
      const body = { merchantId, partnerReferenceNo: partnerReference, ...(linkId !== '' && { linkId }), tokenId };
      return asCustomer(services.unbind, { body, customer, deviceId: partnerReference, signal }, readUnbound);
    },
    close: () => snap.close(),
  };
}

/** The query of service 10. The bank asks nothing more of a customer whose data come with the request. */
function toAuthorization(request: BindRequest, merchantId: string): object {
  const { state, phone, customerId, language, redirectUrl } = request;
  const seamlessData = JSON.stringify({ mobileNumber: phone, externalUid: customerId.slice(0, 32) });
  return { redirectUrl, scopes: SCOPES, state, merchantId, lang: language, seamlessData };
}

function toBinding(
  { partnerReference, phone, bankCode, language, redirectUrl }: BindRequest,
  authCode: string,
  merchantId: string,
) {
  return {
    partnerReferenceNo: partnerReference,
    merchantId,
    authCode,
    phoneNo: phone,
    lang: language,
    redirectUrl,
    additionalInfo: { bankCode },
  };
}

function toOtp(
  { purpose, partnerReference, phone, bankCode, accountToken }: OtpRequest,
  merchantId: string,
  nowMs: number,
): object {
  return {
    journeyId: `${nowMs}${randomInt(1_000_000_000)}`,
    partnerReferenceNo: partnerReference,
    merchantId,
    trxDateTime: jakartaIso(nowMs),
    ...(accountToken !== undefined && { bankCardToken: accountToken }),
    otpTrxCode: OTP_OF[purpose],
    additionalInfo: { phoneNo: phone, bankCode },
  };
}

/** The service that the OTP is for. */
const OTP_OF = { bind: '07', charge: '54', unbind: '09' } as const;

function toVerification({ purpose, partnerReference }: OtpRequest, merchantId: string): object {
  return { originalPartnerReferenceNo: partnerReference, action: purpose, merchantId };
}

/** The body of a charge: the same for the same request, whenever it is sent. */
function toCharge(
  request: ChargeRequest,
  by: { accountToken: string; chargeToken: string | undefined },
  merchantId: string,
): object {
  return {
    partnerReferenceNo: request.partnerReference,
    bankCardToken: by.accountToken,
    ...(by.chargeToken !== undefined && { chargeToken: by.chargeToken }),
    merchantId,
    amount: toSnapAmount(BigInt(request.amountSen)),
    additionalInfo: { merchantReference: request.merchantReference },
  };
}

function toRefund(request: RefundRequest, merchantId: string, charge: SnapService): object {
  return {
    merchantId,
    originalPartnerReferenceNo: request.originalReference,
    originalExternalId: externalIdFor(charge, request.originalExternalId),
    partnerRefundNo: request.refundReference,
    refundAmount: toSnapAmount(BigInt(request.amountSen)),
  };
}
