import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { ACCOUNT_INQUIRY, accountInquiry } from './bank-transfer/account-inquiry.ts';
import { reverseTransfer } from './bank-transfer/reverse-transfer.ts';
import { TRANSFER_INTERBANK, transferInterbank } from './bank-transfer/transfer-interbank.ts';
import { TRANSFER_STATUS, transferStatus } from './bank-transfer/transfer-status.ts';
import {
  CANCEL_CODE,
  CREATE_CODE,
  cancelCode,
  createCode,
  WITHDRAWAL_STATUS,
  withdrawalStatus,
} from './cardless-withdrawal/snap.ts';
import { withdrawCash } from './cardless-withdrawal/withdraw.ts';
import { advanceClock } from './clock/advance-clock.ts';
import { readClock } from './clock/read-clock.ts';
import type { Context } from './context.ts';
import { clearBehaviour } from './control/clear-behaviour.ts';
import { explainSignatureOf } from './control/explain-signature.ts';
import { ControlError } from './control/json.ts';
import { readBooks } from './control/read-books.ts';
import { setBehaviour } from './control/set-behaviour.ts';
import {
  ACCOUNT,
  AUTH_CODE,
  account,
  authCode,
  BIND,
  bind,
  CUSTOMER_TOKEN,
  customerToken,
  UNBIND,
  unbind,
} from './direct-debit/binding.ts';
import { CHARGE, CHARGE_STATUS, charge, chargeStatus, REFUND, refund } from './direct-debit/charge.ts';
import { endBinding } from './direct-debit/end-binding.ts';
import { REQUEST_OTP, requestOtp, VERIFY_OTP, verifyOtp } from './direct-debit/otp.ts';
import { EMONEY_INQUIRY, emoneyInquiry } from './ewallet-topup/account-inquiry.ts';
import { EMONEY_TOPUP, emoneyTopup } from './ewallet-topup/topup.ts';
import { EMONEY_STATUS, emoneyStatus } from './ewallet-topup/topup-status.ts';
import type { Handler } from './handler.ts';
import { addRow, changeRow, dropRow, forgetChanges, showHistory } from './history/control.ts';
import { BANK_STATEMENT, bankStatement, TRANSACTION_HISTORY, transactionHistory } from './history/snap.ts';
import { confirmEwallet } from './money-in/confirm-ewallet.ts';
import {
  DEBIT_CANCEL,
  DEBIT_PAYMENT,
  DEBIT_REFUND,
  DEBIT_STATUS,
  debitCancel,
  debitPayment,
  debitRefund,
  debitStatus,
} from './money-in/ewallet.ts';
import { showEwalletPage, submitEwalletPage } from './money-in/ewallet-page.ts';
import { payRetailCode, payVirtualAccount } from './money-in/pay-number.ts';
import { payQris } from './money-in/pay-qris.ts';
import { QR_CANCEL, QR_GENERATE, QR_QUERY, qrCancel, qrGenerate, qrQuery } from './money-in/qris.ts';
import { reverseQris } from './money-in/reverse-qris.ts';
import { CREATE_VA, createVa, DELETE_VA, deleteVa, UPDATE_VA, updateVa } from './money-in/virtual-account.ts';
import { PREPAID_INQUIRY, PREPAID_PURCHASE, prepaidInquiry, prepaidPurchase } from './prepaid/snap.ts';
import { QR_DECODE, qrDecode } from './qris-payment/decode.ts';
import { QR_PAYMENT, qrPayment } from './qris-payment/payment.ts';
import { QR_REFUND, qrRefund } from './qris-payment/refund.ts';
import { ACCESS_TOKEN, accessToken } from './snap/access-token.ts';
import { SnapRefusal, sendAnswer } from './snap/snap.ts';

/**
 * A route of the bank has its SNAP service; one of the control API answers loopback only, unless it changes and tells nothing of
 * anyone.
 */
type Route = { method: HTTPMethods; url: string; handler: Handler } & ({ service: string } | { anyone: boolean });

/** Everything the simulator answers. */
const ROUTES: readonly Route[] = [
  { method: 'POST', url: '/v1.0/access-token/b2b', handler: accessToken, service: ACCESS_TOKEN },
  { method: 'POST', url: '/v1.0/account-inquiry-external', handler: accountInquiry, service: ACCOUNT_INQUIRY },
  { method: 'POST', url: '/v1.0/transfer-interbank', handler: transferInterbank, service: TRANSFER_INTERBANK },
  { method: 'POST', url: '/v1.0/transfer/status', handler: transferStatus, service: TRANSFER_STATUS },
  { method: 'POST', url: '/v1.0/transfer-va/create-va', handler: createVa, service: CREATE_VA },
  { method: 'PUT', url: '/v1.0/transfer-va/update-va', handler: updateVa, service: UPDATE_VA },
  { method: 'DELETE', url: '/v1.0/transfer-va/delete-va', handler: deleteVa, service: DELETE_VA },
  { method: 'POST', url: '/v1.0/qr/qr-mpm-generate', handler: qrGenerate, service: QR_GENERATE },
  { method: 'POST', url: '/v1.0/qr/qr-mpm-decode', handler: qrDecode, service: QR_DECODE },
  { method: 'POST', url: '/v1.0/qr/qr-mpm-payment', handler: qrPayment, service: QR_PAYMENT },
  { method: 'POST', url: '/v1.0/qr/qr-mpm-query', handler: qrQuery, service: QR_QUERY },
  { method: 'POST', url: '/v1.0/qr/qr-mpm-cancel', handler: qrCancel, service: QR_CANCEL },
  { method: 'POST', url: '/v1.0/qr/qr-mpm-refund', handler: qrRefund, service: QR_REFUND },
  { method: 'POST', url: '/v1.0/debit/payment-host-to-host', handler: debitPayment, service: DEBIT_PAYMENT },
  { method: 'POST', url: '/v1.0/debit/status', handler: debitStatus, service: DEBIT_STATUS },
  { method: 'POST', url: '/v1.0/debit/cancel', handler: debitCancel, service: DEBIT_CANCEL },
  { method: 'POST', url: '/v1.0/debit/refund', handler: debitRefund, service: DEBIT_REFUND },
  { method: 'POST', url: '/v1.0/emoney/account-inquiry', handler: emoneyInquiry, service: EMONEY_INQUIRY },
  { method: 'POST', url: '/v1.0/emoney/topup', handler: emoneyTopup, service: EMONEY_TOPUP },
  { method: 'POST', url: '/v1.0/emoney/topup-status', handler: emoneyStatus, service: EMONEY_STATUS },
  { method: 'POST', url: '/v1.0/cardless-withdrawal/create-code', handler: createCode, service: CREATE_CODE },
  { method: 'POST', url: '/v1.0/cardless-withdrawal/status', handler: withdrawalStatus, service: WITHDRAWAL_STATUS },
  { method: 'POST', url: '/v1.0/cardless-withdrawal/cancel', handler: cancelCode, service: CANCEL_CODE },
  { method: 'POST', url: '/v1.0/prepaid/inquiry', handler: prepaidInquiry, service: PREPAID_INQUIRY },
  { method: 'POST', url: '/v1.0/prepaid/purchase', handler: prepaidPurchase, service: PREPAID_PURCHASE },
  // A bank of its own: its payments have the paths that e-wallets have.
  { method: 'POST', url: '/direct-debit/v1.0/access-token/b2b', handler: accessToken, service: ACCESS_TOKEN },
  { method: 'POST', url: '/direct-debit/v1.0/access-token/b2b2c', handler: customerToken, service: CUSTOMER_TOKEN },
  { method: 'GET', url: '/direct-debit/v1.0/get-auth-code', handler: authCode, service: AUTH_CODE },
  { method: 'POST', url: '/direct-debit/v1.0/otp', handler: requestOtp, service: REQUEST_OTP },
  { method: 'POST', url: '/direct-debit/v1.0/otp-verification', handler: verifyOtp, service: VERIFY_OTP },
  { method: 'POST', url: '/direct-debit/v1.0/registration-account-binding', handler: bind, service: BIND },
  { method: 'POST', url: '/direct-debit/v1.0/registration-account-inquiry', handler: account, service: ACCOUNT },
  { method: 'POST', url: '/direct-debit/v1.0/registration-account-unbinding', handler: unbind, service: UNBIND },
  { method: 'POST', url: '/direct-debit/v1.0/debit/payment-host-to-host', handler: charge, service: CHARGE },
  { method: 'POST', url: '/direct-debit/v1.0/debit/status', handler: chargeStatus, service: CHARGE_STATUS },
  { method: 'POST', url: '/direct-debit/v1.0/debit/refund', handler: refund, service: REFUND },
  { method: 'POST', url: '/sandbox/direct-debit/:binding_id/unbind', handler: endBinding, anyone: false },
  { method: 'POST', url: '/v1.0/transaction-history-list', handler: transactionHistory, service: TRANSACTION_HISTORY },
  { method: 'POST', url: '/v1.0/bank-statement', handler: bankStatement, service: BANK_STATEMENT },
  { method: 'GET', url: '/sandbox/history/:rail', handler: showHistory, anyone: false },
  { method: 'DELETE', url: '/sandbox/history/:rail', handler: forgetChanges, anyone: false },
  { method: 'POST', url: '/sandbox/history/:rail/rows', handler: addRow, anyone: false },
  { method: 'PATCH', url: '/sandbox/history/:rail/rows/:id', handler: changeRow, anyone: false },
  { method: 'DELETE', url: '/sandbox/history/:rail/rows/:id', handler: dropRow, anyone: false },
  { method: 'POST', url: '/sandbox/cardless/:withdrawal_code/withdraw', handler: withdrawCash, anyone: false },
  { method: 'POST', url: '/sandbox/transfers/:transaction_id/reverse', handler: reverseTransfer, anyone: false },
  { method: 'POST', url: '/sandbox/virtual-accounts/:number/pay', handler: payVirtualAccount, anyone: false },
  { method: 'POST', url: '/sandbox/qris/pay', handler: payQris, anyone: false },
  { method: 'POST', url: '/sandbox/qris/reverse', handler: reverseQris, anyone: false },
  { method: 'POST', url: '/sandbox/retail/:payment_code/pay', handler: payRetailCode, anyone: false },
  { method: 'POST', url: '/sandbox/ewallet/:transaction_id/confirm', handler: confirmEwallet, anyone: false },
  // The wallet's own page is open to customers from any address.
  { method: 'GET', url: '/ewallet/:transaction_id', handler: showEwalletPage, anyone: true },
  { method: 'POST', url: '/ewallet/:transaction_id', handler: submitEwalletPage, anyone: true },
  { method: 'POST', url: '/sandbox/signature/explain', handler: explainSignatureOf, anyone: false },
  { method: 'PUT', url: '/sandbox/rails/:rail', handler: setBehaviour, anyone: false },
  { method: 'DELETE', url: '/sandbox/rails/:rail', handler: clearBehaviour, anyone: false },
  { method: 'GET', url: '/sandbox/rails/:rail/books', handler: readBooks, anyone: false },
  // The services follow the clock from any address.
  { method: 'GET', url: '/sandbox/clock', handler: readClock, anyone: true },
  { method: 'POST', url: '/sandbox/clock/advance', handler: advanceClock, anyone: false },
];

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const BODY_BYTES_MAX = 256 * 1024;
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

/** Builds the HTTP side. JSON bodies come to the handlers as the text that was sent: SNAP signs that text. */
export function buildApp(context: Context): FastifyInstance {
  const app = fastify({ bodyLimit: BODY_BYTES_MAX, forceCloseConnections: 'idle', exposeHeadRoutes: false });
  app.removeAllContentTypeParsers();
  const types = ['application/json', 'application/x-www-form-urlencoded'];
  app.addContentTypeParser(types, { parseAs: 'string' }, (_request, body, done) => done(null, body));

  for (const route of ROUTES) {
    app.route({
      method: route.method,
      url: route.url,
      // Before the body is read.
      onRequest: async (request) => {
        if ('anyone' in route && !route.anyone && !LOOPBACK.test(request.raw.socket.remoteAddress ?? '')) {
          throw new ControlError(403, 'The sandbox is controlled from the machine it runs on');
        }
      },
      errorHandler: (error, request, reply) =>
        sendError(context, error, request, reply, 'service' in route ? route.service : undefined),
      handler: (request, reply) => route.handler(context, request, reply),
    });
  }
  for (const url of new Set(ROUTES.map((route) => route.url))) {
    const allowed = ROUTES.filter((route) => route.url === url).map((route) => route.method);
    app.route({
      method: METHODS.filter((method) => !allowed.includes(method)),
      url,
      handler: (_request, reply) =>
        reply
          .code(405)
          .header('allow', allowed.join(', '))
          .send({ message: `This address takes ${allowed.join(' and ')} only` }),
    });
  }
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ message: `There is nothing at ${request.method} ${request.url.slice(0, 100)}` }),
  );
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(context, error, request, reply, undefined));
  return app;
}

/**
 * One shape of error for the bank's routes (`service`: SNAP's), one for all others. What went wrong inside is logged, not told.
 */
function sendError(
  context: Context,
  error: FastifyError | SnapRefusal | ControlError,
  request: FastifyRequest,
  reply: FastifyReply,
  service: string | undefined,
): FastifyReply {
  const status =
    error instanceof ControlError ? error.status : error instanceof SnapRefusal ? error.answer.http : (error.statusCode ?? 500);
  const message = status >= 500 ? 'General Error' : error.message;
  if (status >= 500) context.log.error({ err: error, url: request.routeOptions.url }, 'a request failed');
  if (service !== undefined) {
    const answer = error instanceof SnapRefusal ? error.answer : { http: status, caseCode: '00', message };
    return sendAnswer(context, reply, service, answer);
  }
  return reply
    .code(status)
    .send({ message, ...(error instanceof ControlError && error.errors !== undefined && { errors: error.errors }) });
}
