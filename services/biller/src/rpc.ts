import { BillerOperatorService, PrepaidService } from '@gerbang/proto/gerbang/biller/v1/biller';
import { implement } from '@gerbang/rpc';
import { ADMINS, FINANCE, implementForOperators, type OperatorGate, VIEWERS } from '@gerbang/service/operators';
import type { Context } from './context.ts';
import { inquirePrepaid } from './inquiry/rpc/inquire.ts';
import { listPrepaidProducts } from './product/rpc/list-products.ts';
import { listProductVersions } from './product/rpc/list-versions.ts';
import { setProduct } from './product/rpc/set-product.ts';
import { payPrepaid } from './purchase/rpc/pay.ts';
import { listUnresolvedPurchases } from './resolution/rpc/list-unresolved.ts';
import { resolvePurchase } from './resolution/rpc/resolve.ts';

/** Everything that others may call, and who may. Operators' calls go through the gate. */
export function implementations(context: Context, gate: OperatorGate) {
  return [
    implement(
      PrepaidService,
      {
        inquirePrepaid: (request) => inquirePrepaid(context, request),
        payPrepaid: (request) => payPrepaid(context, request),
        listPrepaidProducts: (request) => listPrepaidProducts(context, request),
      },
      ['edge'],
    ),
    implementForOperators(gate, BillerOperatorService, {
      listProductVersions: { roles: VIEWERS, handler: () => listProductVersions(context) },
      setProduct: { roles: ADMINS, handler: (request, call) => setProduct(context, request, call) },
      listUnresolvedPurchases: { roles: VIEWERS, handler: (request) => listUnresolvedPurchases(context, request) },
      resolvePurchase: { roles: FINANCE, handler: (request, call) => resolvePurchase(context, request, call) },
    }),
  ];
}
