import { TOKEN_PERMITS } from '../http/admission.ts';
import { admitBasic, admitClientSignature } from '../http/client-credentials.ts';
import { v1 } from '../http/envelope-v1.ts';
import { v2 } from '../http/envelope-v2.ts';
import type { Operation } from '../http/operation.ts';
import type { Route } from '../http/route.ts';
import { createAccountTransfer } from './account-transfers/create.ts';
import { listAccountTransfers } from './account-transfers/list.ts';
import { showAccountTransfer } from './account-transfers/show.ts';
import { listAccounts } from './accounts/list.ts';
import { openAccount } from './accounts/open.ts';
import { showAccount } from './accounts/show.ts';
import { updateAccount } from './accounts/update.ts';
import { accountBalance, merchantBalance } from './balance/balance.ts';
import { getCallbackSettings } from './callback-settings/get.ts';
import { updateCallbackSettings } from './callback-settings/update.ts';
import { cancelCardlessWithdrawal } from './cardless-withdrawals/cancel.ts';
import { createCardlessWithdrawal } from './cardless-withdrawals/create.ts';
import { listCardlessWithdrawals } from './cardless-withdrawals/list.ts';
import { showCardlessWithdrawal } from './cardless-withdrawals/show.ts';
import { cancelCardPayment } from './cards/cancel.ts';
import { listChargebacks } from './cards/list-chargebacks.ts';
import { payByCard } from './cards/pay.ts';
import { showCardPayment } from './cards/show.ts';
import { showChargeback } from './cards/show-chargeback.ts';
import { charge } from './direct-debit/charge.ts';
import { createBinding } from './direct-debit/create-binding.ts';
import { listBindings } from './direct-debit/list-bindings.ts';
import { listTransactions } from './direct-debit/list-transactions.ts';
import { refund } from './direct-debit/refund.ts';
import { showBinding } from './direct-debit/show-binding.ts';
import { showTransaction } from './direct-debit/show-transaction.ts';
import { unbind } from './direct-debit/unbind.ts';
import { verifyOtp } from './direct-debit/verify-otp.ts';
import { checkBeneficiary } from './disbursement/check-beneficiary.ts';
import { fee } from './disbursement/fee.ts';
import { inquireStatus } from './disbursement/inquiry-status.ts';
import { listTransfers } from './disbursement/list.ts';
import { showTransfer } from './disbursement/show.ts';
import { transferV1, transferV2 } from './disbursement/transfer.ts';
import { checkWallet } from './ewallet-topup/check-wallet.ts';
import { inquireTopupStatus } from './ewallet-topup/inquiry-status.ts';
import { triggerTopup } from './ewallet-topup/trigger-topup.ts';
import { chapter, get, type Line, post, put, signedPost, withId } from './methods.ts';
import { moneyInRoutes } from './money-in.ts';
import { creditQris } from './qris-payments/credit.ts';
import { inquireQrisPayment } from './qris-payments/inquiry.ts';
import { inquireQrisPaymentStatus } from './qris-payments/status.ts';
import { createPlan } from './recurring/create.ts';
import { listPlans } from './recurring/list.ts';
import { listCycles } from './recurring/list-cycles.ts';
import { cancelPlan, pausePlan, resumePlan } from './recurring/move.ts';
import { replacePlanCard } from './recurring/replace-card.ts';
import { showPlan } from './recurring/show.ts';
import { listSettlements } from './settlements/list.ts';
import { listStatement } from './statements/list.ts';
import { issueTokenV10, issueTokenV11 } from './token/issue.ts';
import { listDeliveries } from './webhook-deliveries/list.ts';
import { redeliver } from './webhook-deliveries/redeliver.ts';
import { showDelivery } from './webhook-deliveries/show.ts';

/** The whole URL map of base_url. */
export const routes: readonly Route[] = [
  ...chapter({ name: 'Token', description: 'Access tokens: every other request carries one.', productRefusal: false }, [
    token('/api/v1.0/access-token/b2b', issueTokenV10, { credential: 'basic', admit: admitBasic }),
    token('/api/v1.1/access-token/b2b', issueTokenV11, { credential: 'client-signature', admit: admitClientSignature }),
  ]),
  ...chapter({ name: 'Accounts', description: 'Sub-accounts of the merchant.', productRefusal: false }, [
    get('/api/v1.0/accounts', v1, listAccounts),
    post('/api/v1.0/accounts', v1, openAccount),
    get('/api/v1.0/accounts/:account_id', v1, showAccount),
    put('/api/v1.0/accounts/:account_id', v1, updateAccount),
  ]),
  ...chapter(
    { name: 'Balance', description: 'What a merchant or one of its accounts has, holds and waits for.', productRefusal: false },
    [get('/api/v1.0/balance-inquiry', v1, merchantBalance), get('/api/v1.0/balance-inquiry/:account_id', v1, accountBalance)],
  ),
  ...chapter(
    { name: 'Account statements', description: 'What changed the available balance of an account.', productRefusal: false },
    [get('/api/v1.0/account-statements/:account_id', v1, listStatement)],
  ),
  ...chapter({ name: 'Settlement transactions', description: 'Money in that has settled.', productRefusal: false }, [
    get('/api/v1.0/settlement-transactions', v1, listSettlements),
  ]),
  ...chapter({ name: 'Account transfer', description: "Transfers between a merchant's own accounts." }, [
    signedPost('/api/v1.0/account-transfers', v1, createAccountTransfer),
    get('/api/v1.0/account-transfers', v1, listAccountTransfers),
    get('/api/v1.0/account-transfers/:transaction_id', v1, showAccountTransfer),
  ]),
  ...chapter({ name: 'Callbacks', description: 'Where webhooks go, and how their delivery went.', productRefusal: false }, [
    get('/api/v1.0/callback-settings', v1, getCallbackSettings),
    put('/api/v1.0/callback-settings', v1, updateCallbackSettings),
    get('/api/v1.0/webhook-deliveries', v1, listDeliveries),
    get('/api/v1.0/webhook-deliveries/:id', v1, showDelivery),
    post('/api/v1.0/webhook-deliveries/:id/redeliver', v1, redeliver),
  ]),

  ...moneyInRoutes,

  ...chapter({ name: 'Disbursement', description: 'Transfers to bank accounts.' }, [
    post('/api/v2.0/disbursement/check-beneficiary', v2, checkBeneficiary),
    signedPost('/api/v2.0/disbursement/transfer', v2, transferV2),
    get('/api/v2.0/disbursement/fee', v2, fee),
    get('/api/v2.0/disbursement/list', v2, listTransfers),
    post('/api/v2.0/disbursement/inquiry-status', v2, inquireStatus),

    post('/api/v1.0/disbursement/check-beneficiary', v1, withId('checkBeneficiaryV1', checkBeneficiary)),
    signedPost('/api/v1.0/disbursement/transfer', v1, transferV1),
    get('/api/v1.0/disbursement/fee', v1, withId('showDisbursementFeeV1', fee)),
    get('/api/v1.0/disbursement/list', v1, withId('listDisbursementsV1', listTransfers)),
    get('/api/v1.0/disbursement/show/:account_id/:transaction_id', v1, withId('showDisbursementV1', showTransfer)),
    post('/api/v1.0/disbursement/inquiry-status', v2, withId('inquireDisbursementStatusV1', inquireStatus)),
  ]),
  ...chapter({ name: 'E-wallet top-up', description: "Money sent to customers' e-wallets." }, [
    post('/api/v2.0/ewallet/check-beneficiary', v2, checkWallet),
    signedPost('/api/v2.0/ewallet/trigger-topup', v2, triggerTopup),
    post('/api/v2.0/ewallet/inquiry-status', v2, inquireTopupStatus),
  ]),
  ...chapter({ name: 'Cardless withdrawal', description: "Cash that customers draw at a bank's machine with a code." }, [
    post('/api/v1.0/cardless-withdrawals/:account_id', v1, createCardlessWithdrawal),
    get('/api/v1.0/cardless-withdrawals/:account_id', v1, listCardlessWithdrawals),
    get('/api/v1.0/cardless-withdrawals/:account_id/:transaction_id', v1, showCardlessWithdrawal),
    post('/api/v1.0/cardless-withdrawals/:account_id/:transaction_id/cancel', v1, cancelCardlessWithdrawal),
  ]),

  ...chapter({ name: 'QRIS money out', description: "Payments of others' QR codes." }, [
    post('/api/v2.0/qris/inquiry/:account_id', v2, inquireQrisPayment),
    signedPost('/api/v2.0/qris/credit/:account_id', v2, creditQris),
    post('/api/v2.0/qris/status/:account_id', v2, inquireQrisPaymentStatus),
  ]),

  ...chapter({ name: 'Direct debit', description: "Customers' bank accounts, bound once and charged from then on." }, [
    post('/api/v2.0/direct-debit/binding', v2, createBinding),
    get('/api/v2.0/direct-debit/binding', v2, listBindings),
    get('/api/v2.0/direct-debit/binding/:binding_id', v2, showBinding),
    post('/api/v2.0/direct-debit/binding/:binding_id/unbind', v2, unbind),
    signedPost('/api/v2.0/direct-debit/charge', v2, charge),
    post('/api/v2.0/direct-debit/verify-otp', v2, verifyOtp),
    get('/api/v2.0/direct-debit/transaction', v2, listTransactions),
    get('/api/v2.0/direct-debit/transaction/:transaction_id', v2, showTransaction),
    signedPost('/api/v2.0/direct-debit/transaction/:transaction_id/refund', v2, refund),
  ]),

  ...chapter({ name: 'Cards', description: 'Payments by card, with and without 3DS, in full or in installments.' }, [
    post('/api/v2.0/card/:account_id/payment', v2, payByCard),
    post('/api/v2.0/card/:account_id/cancel/:id', v2, cancelCardPayment),
    get('/api/v2.0/card/:account_id/inquiry-status/:id', v2, showCardPayment),
    get('/api/v2.0/card/:account_id/chargebacks', v2, listChargebacks),
    get('/api/v2.0/card/:account_id/chargebacks/:id', v2, showChargeback),
  ]),

  ...chapter({ name: 'Subscriptions', description: 'Cards that are charged by the calendar.' }, [
    post('/api/v2.0/recurring/:account_id/plans', v2, createPlan),
    get('/api/v2.0/recurring/:account_id/plans', v2, listPlans),
    get('/api/v2.0/recurring/:account_id/plans/:plan_id', v2, showPlan),
    post('/api/v2.0/recurring/:account_id/plans/:plan_id/pause', v2, pausePlan),
    post('/api/v2.0/recurring/:account_id/plans/:plan_id/resume', v2, resumePlan),
    post('/api/v2.0/recurring/:account_id/plans/:plan_id/cancel', v2, cancelPlan),
    put('/api/v2.0/recurring/:account_id/plans/:plan_id/card', v2, replacePlanCard),
    get('/api/v2.0/recurring/:account_id/plans/:plan_id/cycles', v2, listCycles),
  ]),
];

function token(path: string, operation: Operation, proof: Pick<Route, 'credential' | 'admit'>): Line {
  return { method: 'POST', path, envelope: v1, operation, ...proof, signed: false, form: true, permits: TOKEN_PERMITS };
}
