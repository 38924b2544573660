import {
  BankReportService,
  BindPageService,
  DirectDebitService,
  SupportService,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { implement } from '@gerbang/rpc';
import { FINANCE, implementForOperators, type OperatorGate, VIEWERS } from '@gerbang/service/operators';
import { consent } from './bind-page/rpc/consent.ts';
import { decline } from './bind-page/rpc/decline.ts';
import { getBindPage } from './bind-page/rpc/get-bind-page.ts';
import { handOver } from './bind-page/rpc/hand-over.ts';
import { resendOtp } from './bind-page/rpc/resend-otp.ts';
import { submitOtp } from './bind-page/rpc/submit-otp.ts';
import { createBinding } from './binding/rpc/create-binding.ts';
import { getBinding } from './binding/rpc/get-binding.ts';
import { listBindings } from './binding/rpc/list-bindings.ts';
import { unbind } from './binding/rpc/unbind.ts';
import { verifyUnbindOtp } from './binding/rpc/verify-unbind-otp.ts';
import { charge } from './charge/rpc/charge.ts';
import { getTransaction } from './charge/rpc/get-transaction.ts';
import { listTransactions } from './charge/rpc/list-transactions.ts';
import { refundCharge } from './charge/rpc/refund-charge.ts';
import { verifyChargeOtp } from './charge/rpc/verify-charge-otp.ts';
import type { Context } from './context.ts';
import { decideDiscrepancy } from './discrepancy/rpc/decide-discrepancy.ts';
import { listDiscrepancies } from './discrepancy/rpc/list-discrepancies.ts';
import { reportCharge } from './report/rpc/report-charge.ts';
import { reportUnbound } from './report/rpc/report-unbound.ts';
import { listCustomerBindings } from './support/rpc/list-customer-bindings.ts';
import { listUnresolved } from './support/rpc/list-unresolved.ts';
import { resolve } from './support/rpc/resolve.ts';

/** Everything that others may call, and who may. Operators' calls go through the gate. */
export function implementations(context: Context, gate: OperatorGate) {
  return [
    implement(
      DirectDebitService,
      {
        createBinding: (request) => createBinding(context, request),
        getBinding: (request) => getBinding(context, request),
        listBindings: (request) => listBindings(context, request),
        charge: (request) => charge(context, request),
        verifyChargeOtp: (request) => verifyChargeOtp(context, request),
        getTransaction: (request) => getTransaction(context, request),
        listTransactions: (request) => listTransactions(context, request),
        unbind: (request) => unbind(context, request),
        verifyUnbindOtp: (request) => verifyUnbindOtp(context, request),
        refundCharge: (request) => refundCharge(context, request),
      },
      ['edge'],
    ),
    implement(
      BindPageService,
      {
        getBindPage: (request) => getBindPage(context, request),
        consent: (request) => consent(context, request),
        decline: (request) => decline(context, request),
        submitOtp: (request) => submitOtp(context, request),
        resendOtp: (request) => resendOtp(context, request),
        handOver: (request) => handOver(context, request),
      },
      ['checkout'],
    ),
    implement(
      BankReportService,
      {
        reportCharge: (request) => reportCharge(context, request),
        reportUnbound: (request) => reportUnbound(context, request),
      },
      ['edge'],
    ),
    implementForOperators(gate, SupportService, {
      listCustomerBindings: { roles: VIEWERS, handler: (request) => listCustomerBindings(context, request) },
      listUnresolved: { roles: VIEWERS, handler: (request) => listUnresolved(context, request) },
      resolve: { roles: FINANCE, handler: (request, call) => resolve(context, request, call) },
      listDiscrepancies: { roles: VIEWERS, handler: (request) => listDiscrepancies(context, request) },
      decideDiscrepancy: {
        roles: FINANCE,
        approval: () => true,
        handler: (request, call) => decideDiscrepancy(context, request, call),
      },
    }),
  ];
}
