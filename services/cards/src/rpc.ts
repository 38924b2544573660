import { AcquirerReportService, CardPageService, CardService } from '@gerbang/proto/gerbang/cards/v1/cards';
import { implement } from '@gerbang/rpc';
import type { Context } from './context.ts';
import { cancel } from './payment/rpc/cancel.ts';
import { getPayment } from './payment/rpc/get-payment.ts';
import { getReturn } from './payment/rpc/get-return.ts';
import { pay } from './payment/rpc/pay.ts';
import { reportPayment } from './payment/rpc/report-payment.ts';

/** Everything that others may call, and who may. */
export function implementations(context: Context) {
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
    implement(AcquirerReportService, { reportPayment: (request) => reportPayment(context, request) }, ['edge']),
    implement(CardPageService, { getReturn: (request) => getReturn(context, request) }, ['checkout']),
  ];
}
