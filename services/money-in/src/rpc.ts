import { LinkCardService } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import {
  CheckoutService,
  EwalletCheckoutService,
  PaymentLinkService,
  QrisService,
  RetailService,
  ReversalService,
  SuspenseService,
  VirtualAccountService,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailService } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { implement } from '@gerbang/rpc';
import { FINANCE, implementForOperators, type OperatorGate, VIEWERS } from '@gerbang/service/operators';
import type { Context } from './context.ts';
import { createEwalletCheckout } from './ewallet-checkout/rpc/create-ewallet-checkout.ts';
import { getEwalletCheckout } from './ewallet-checkout/rpc/get-ewallet-checkout.ts';
import { getEwalletConfirmation } from './ewallet-checkout/rpc/get-ewallet-confirmation.ts';
import { listEwalletCheckouts } from './ewallet-checkout/rpc/list-ewallet-checkouts.ts';
import { listEwalletStatuses } from './ewallet-checkout/rpc/list-ewallet-statuses.ts';
import { notifyCheckoutFailed } from './ewallet-checkout/rpc/notify-checkout-failed.ts';
import { createPaymentLink } from './payment-link/rpc/create-payment-link.ts';
import { deletePaymentLink } from './payment-link/rpc/delete-payment-link.ts';
import { findPaymentLink } from './payment-link/rpc/find-payment-link.ts';
import { getPaymentLink } from './payment-link/rpc/get-payment-link.ts';
import { listPayableMethods } from './payment-link/rpc/list-payable-methods.ts';
import { listPaymentLinks } from './payment-link/rpc/list-payment-links.ts';
import { updatePaymentLink } from './payment-link/rpc/update-payment-link.ts';
import { generateQris } from './qris/rpc/generate-qris.ts';
import { getQris } from './qris/rpc/get-qris.ts';
import { listQris } from './qris/rpc/list-qris.ts';
import { notifyPayment } from './rail/rpc/notify-payment.ts';
import { notifyReversed } from './rail/rpc/notify-reversed.ts';
import { createRetailTransaction } from './retail/rpc/create-retail-transaction.ts';
import { getRetailTransaction } from './retail/rpc/get-retail-transaction.ts';
import { inquireRetailCode } from './retail/rpc/inquire-retail-code.ts';
import { decideReversal } from './reversal/rpc/decide-reversal.ts';
import { listReversals } from './reversal/rpc/list-reversals.ts';
import { beginCardPayment } from './session/rpc/begin-card-payment.ts';
import { choosePaymentMethod } from './session/rpc/choose-payment-method.ts';
import { getPaymentLinkHistory } from './session/rpc/get-payment-link-history.ts';
import { getSession } from './session/rpc/get-session.ts';
import { listPaymentLinkHistories } from './session/rpc/list-payment-link-histories.ts';
import { listSessions } from './session/rpc/list-sessions.ts';
import { openPaymentLink } from './session/rpc/open-payment-link.ts';
import { reportCardPayment } from './session/rpc/report-card-payment.ts';
import { creditSuspense } from './suspense/rpc/credit-suspense.ts';
import { listSuspense } from './suspense/rpc/list-suspense.ts';
import { refundSuspense } from './suspense/rpc/refund-suspense.ts';
import { createVirtualAccount } from './virtual-account/rpc/create-virtual-account.ts';
import { deleteVirtualAccount } from './virtual-account/rpc/delete-virtual-account.ts';
import { getVaTransaction } from './virtual-account/rpc/get-va-transaction.ts';
import { getVirtualAccount } from './virtual-account/rpc/get-virtual-account.ts';
import { inquireVirtualAccount } from './virtual-account/rpc/inquire-virtual-account.ts';
import { listVaTransactions } from './virtual-account/rpc/list-va-transactions.ts';
import { listVirtualAccounts } from './virtual-account/rpc/list-virtual-accounts.ts';
import { updateVirtualAccount } from './virtual-account/rpc/update-virtual-account.ts';

/** Everything that others may call, and who may. */
export function implementations(context: Context, gate: OperatorGate) {
  return [
    implement(
      VirtualAccountService,
      {
        createVirtualAccount: (request) => createVirtualAccount(context, request),
        getVirtualAccount: (request) => getVirtualAccount(context, request),
        listVirtualAccounts: (request) => listVirtualAccounts(context, request),
        updateVirtualAccount: (request) => updateVirtualAccount(context, request),
        deleteVirtualAccount: (request) => deleteVirtualAccount(context, request),
        getVaTransaction: (request) => getVaTransaction(context, request),
        listVaTransactions: (request) => listVaTransactions(context, request),
      },
      ['edge'],
    ),
    implement(
      QrisService,
      {
        generateQris: (request) => generateQris(context, request),
        getQris: (request) => getQris(context, request),
        listQris: (request) => listQris(context, request),
      },
      ['edge'],
    ),
    implement(
      EwalletCheckoutService,
      {
        createEwalletCheckout: (request) => createEwalletCheckout(context, request),
        getEwalletCheckout: (request) => getEwalletCheckout(context, request),
        listEwalletCheckouts: (request) => listEwalletCheckouts(context, request),
      },
      ['edge'],
    ),
    implement(
      RetailService,
      {
        createRetailTransaction: (request) => createRetailTransaction(context, request),
        getRetailTransaction: (request) => getRetailTransaction(context, request),
      },
      ['edge'],
    ),
    implement(
      PaymentLinkService,
      {
        createPaymentLink: (request) => createPaymentLink(context, request),
        getPaymentLink: (request) => getPaymentLink(context, request),
        listPaymentLinks: (request) => listPaymentLinks(context, request),
        updatePaymentLink: (request) => updatePaymentLink(context, request),
        deletePaymentLink: (request) => deletePaymentLink(context, request),
        getPaymentLinkHistory: (request) => getPaymentLinkHistory(context, request),
        listPaymentLinkHistories: (request) => listPaymentLinkHistories(context, request),
        listPayableMethods: (request) => listPayableMethods(context, request),
      },
      ['edge'],
    ),
    implement(
      CheckoutService,
      {
        openPaymentLink: (request) => openPaymentLink(context, request),
        findPaymentLink: (request) => findPaymentLink(context, request),
        getSession: (request) => getSession(context, request),
        listSessions: (request) => listSessions(context, request),
        choosePaymentMethod: (request) => choosePaymentMethod(context, request),
        getEwalletConfirmation: (request) => getEwalletConfirmation(context, request),
        listEwalletStatuses: (request) => listEwalletStatuses(context, request),
      },
      ['checkout'],
    ),
    implement(
      LinkCardService,
      {
        beginCardPayment: (request) => beginCardPayment(context, request),
        reportCardPayment: (request) => reportCardPayment(context, request),
      },
      ['cards'],
    ),
    implementForOperators(gate, SuspenseService, {
      listSuspense: { roles: VIEWERS, handler: (request) => listSuspense(context, request) },
      creditSuspense: { roles: FINANCE, approval: always, handler: (request, call) => creditSuspense(context, request, call) },
      refundSuspense: { roles: FINANCE, approval: always, handler: (request, call) => refundSuspense(context, request, call) },
    }),
    implementForOperators(gate, ReversalService, {
      listReversals: { roles: VIEWERS, handler: (request) => listReversals(context, request) },
      decideReversal: { roles: FINANCE, approval: always, handler: (request, call) => decideReversal(context, request, call) },
    }),
    implement(
      RailService,
      {
        inquireVirtualAccount: (request) => inquireVirtualAccount(context, request),
        inquireRetailCode: (request) => inquireRetailCode(context, request),
        notifyPayment: (request) => notifyPayment(context, request),
        notifyCheckoutFailed: (request) => notifyCheckoutFailed(context, request),
        notifyReversed: (request) => notifyReversed(context, request),
      },
      ['edge'],
    ),
  ];
}

const always = () => true;
