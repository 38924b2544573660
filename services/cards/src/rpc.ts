import { AcquirerReportService, CardPageService, CardService } from '@gerbang/proto/gerbang/cards/v1/cards';
import { ChargebackOperatorService, ChargebackService } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { PlanService } from '@gerbang/proto/gerbang/cards/v1/plans';
import { implement } from '@gerbang/rpc';
import { FINANCE, implementForOperators, type OperatorGate, VIEWERS } from '@gerbang/service/operators';
import { getChargeback } from './chargeback/rpc/get-chargeback.ts';
import { listChargebacks } from './chargeback/rpc/list-chargebacks.ts';
import { endCase, listCases, showCase } from './chargeback/rpc/operate.ts';
import { reportChargeback } from './chargeback/rpc/report-chargeback.ts';
import type { Context } from './context.ts';
import { operatorImplementation } from './operators/rpc.ts';
import { cancel } from './payment/rpc/cancel.ts';
import { getPayment } from './payment/rpc/get-payment.ts';
import { getReturn } from './payment/rpc/get-return.ts';
import { pay } from './payment/rpc/pay.ts';
import { payLink } from './payment/rpc/pay-link.ts';
import { reportPayment } from './payment/rpc/report-payment.ts';
import { createPlan } from './plan/rpc/create-plan.ts';
import { getPlan } from './plan/rpc/get-plan.ts';
import { listCycles } from './plan/rpc/list-cycles.ts';
import { listPlans } from './plan/rpc/list-plans.ts';
import { movePlan } from './plan/rpc/move-plan.ts';
import { replaceCard } from './plan/rpc/replace-card.ts';

/** Everything that others may call, and who may. */
export function implementations(context: Context, gate: OperatorGate) {
  return [
    implement(
      CardService,
      {
        pay: (request) => pay(context, request),
        cancel: (request) => cancel(context, request),
        getPayment: (request) => getPayment(context, request),
      },
      ['edge'],
    ),
    implement(
      PlanService,
      {
        createPlan: (request) => createPlan(context, request),
        getPlan: (request) => getPlan(context, request),
        listPlans: (request) => listPlans(context, request),
        listCycles: (request) => listCycles(context, request),
        movePlan: (request) => movePlan(context, request),
        replaceCard: (request) => replaceCard(context, request),
      },
      ['edge'],
    ),
    implement(
      ChargebackService,
      {
        getChargeback: (request) => getChargeback(context, request),
        listChargebacks: (request) => listChargebacks(context, request),
      },
      ['edge'],
    ),
    implementForOperators(gate, ChargebackOperatorService, {
      listCases: { roles: VIEWERS, handler: (request) => listCases(context, request) },
      showCase: { roles: VIEWERS, handler: (request) => showCase(context, request) },
      endCase: { roles: FINANCE, approval: () => true, handler: (request, call) => endCase(context, request, call) },
    }),
    implement(
      AcquirerReportService,
      {
        reportPayment: (request) => reportPayment(context, request),
        reportChargeback: (request) => reportChargeback(context, request),
      },
      ['edge'],
    ),
    implement(
      CardPageService,
      { getReturn: (request) => getReturn(context, request), payLink: (request) => payLink(context, request) },
      ['checkout'],
    ),
    operatorImplementation(context, gate),
  ];
}
