import { BillerOperatorService, PrepaidService } from '@gerbang/proto/gerbang/biller/v1/biller';
import { implement } from '@gerbang/rpc';
import type { Context } from './context.ts';
import { inquirePrepaid } from './inquiry/rpc/inquire.ts';
import { listPrepaidProducts } from './product/rpc/list-products.ts';
import { listProductVersions } from './product/rpc/list-versions.ts';
import { setProduct } from './product/rpc/set-product.ts';
import { payPrepaid } from './purchase/rpc/pay.ts';
import { listUnresolvedPurchases } from './resolution/rpc/list-unresolved.ts';
import { resolvePurchase } from './resolution/rpc/resolve.ts';

/** Everything that others may call, and who may. */
export function implementations(context: Context) {
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
    implement(
      BillerOperatorService,
      {
        listProductVersions: () => listProductVersions(context),
        setProduct: (request) => setProduct(context, request),
        listUnresolvedPurchases: (request) => listUnresolvedPurchases(context, request),
        resolvePurchase: (request) => resolvePurchase(context, request),
      },
      ['cli'],
    ),
  ];
}
