import { CardlessWithdrawalService } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { EwalletTopupService } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import {
  AccountTransferService,
  DisbursementService,
  LimitService,
  RailReportService,
  ResolutionService,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { QrisPaymentService } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import { implement } from '@gerbang/rpc';
import { FINANCE, implementForOperators, type OperatorGate, VIEWERS } from '@gerbang/service/operators';
import { createAccountTransfer } from './account-transfer/rpc/create-account-transfer.ts';
import { getAccountTransfer } from './account-transfer/rpc/get-account-transfer.ts';
import { listAccountTransfers } from './account-transfer/rpc/list-account-transfers.ts';
import { cancelCardlessWithdrawal } from './cardless-withdrawal/rpc/cancel.ts';
import { createCardlessWithdrawal } from './cardless-withdrawal/rpc/create.ts';
import { getCardlessWithdrawal } from './cardless-withdrawal/rpc/get.ts';
import { listCardlessWithdrawals } from './cardless-withdrawal/rpc/list.ts';
import type { Context } from './context.ts';
import { checkBeneficiary } from './disbursement/rpc/check-beneficiary.ts';
import { getFee } from './disbursement/rpc/get-fee.ts';
import { getTransfer } from './disbursement/rpc/get-transfer.ts';
import { listTransfers } from './disbursement/rpc/list-transfers.ts';
import { transfer } from './disbursement/rpc/transfer.ts';
import { checkWallet } from './ewallet-topup/rpc/check-wallet.ts';
import { getTopup } from './ewallet-topup/rpc/get-topup.ts';
import { triggerTopup } from './ewallet-topup/rpc/trigger-topup.ts';
import { listLimits } from './limit/rpc/list-limits.ts';
import { creditQrisPayment } from './qris-payment/rpc/credit-qris-payment.ts';
import { getQrisPayment } from './qris-payment/rpc/get-qris-payment.ts';
import { inquireQrisPayment } from './qris-payment/rpc/inquire-qris-payment.ts';
import { reportTransfer } from './report/rpc/report-transfer.ts';
import { listUnresolved } from './resolution/rpc/list-unresolved.ts';
import { resolve } from './resolution/rpc/resolve.ts';

/** Everything that others may call, and who may. Operators' calls go through the gate. */
export function implementations(context: Context, gate: OperatorGate) {
  return [
    implement(
      DisbursementService,
      {
        transfer: (request) => transfer(context, request),
        checkBeneficiary: (request) => checkBeneficiary(context, request),
        getFee: (request) => getFee(context, request),
        getTransfer: (request) => getTransfer(context, request),
        listTransfers: (request) => listTransfers(context, request),
      },
      ['edge'],
    ),
    implement(
      QrisPaymentService,
      {
        inquireQrisPayment: (request) => inquireQrisPayment(context, request),
        creditQrisPayment: (request) => creditQrisPayment(context, request),
        getQrisPayment: (request) => getQrisPayment(context, request),
      },
      ['edge'],
    ),
    implement(
      AccountTransferService,
      {
        createAccountTransfer: (request) => createAccountTransfer(context, request),
        getAccountTransfer: (request) => getAccountTransfer(context, request),
        listAccountTransfers: (request) => listAccountTransfers(context, request),
      },
      ['edge'],
    ),
    implement(
      CardlessWithdrawalService,
      {
        createCardlessWithdrawal: (request) => createCardlessWithdrawal(context, request),
        getCardlessWithdrawal: (request) => getCardlessWithdrawal(context, request),
        listCardlessWithdrawals: (request) => listCardlessWithdrawals(context, request),
        cancelCardlessWithdrawal: (request) => cancelCardlessWithdrawal(context, request),
      },
      ['edge'],
    ),
    implementForOperators(gate, ResolutionService, {
      listUnresolved: { roles: VIEWERS, handler: (request) => listUnresolved(context, request) },
      resolve: { roles: FINANCE, handler: (request, call) => resolve(context, request, call) },
    }),
    implementForOperators(gate, LimitService, {
      listLimits: { roles: VIEWERS, handler: (request) => listLimits(context, request) },
    }),
    implement(RailReportService, { reportTransfer: (request) => reportTransfer(context, request) }, ['edge']),
    implement(
      EwalletTopupService,
      {
        triggerTopup: (request) => triggerTopup(context, request),
        checkWallet: (request) => checkWallet(context, request),
        getTopup: (request) => getTopup(context, request),
      },
      ['edge'],
    ),
  ];
}
