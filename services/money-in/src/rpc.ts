import { VirtualAccountService } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailService } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { implement } from '@gerbang/rpc';
import type { Context } from './context.ts';
import { inquireRetailCode } from './rail/rpc/inquire-retail-code.ts';
import { inquireVirtualAccount } from './rail/rpc/inquire-virtual-account.ts';
import { notifyCheckoutFailed } from './rail/rpc/notify-checkout-failed.ts';
import { notifyPayment } from './rail/rpc/notify-payment.ts';
import { createVirtualAccount } from './virtual-account/rpc/create-virtual-account.ts';
import { deleteVirtualAccount } from './virtual-account/rpc/delete-virtual-account.ts';
import { getVaTransaction } from './virtual-account/rpc/get-va-transaction.ts';
import { getVirtualAccount } from './virtual-account/rpc/get-virtual-account.ts';
import { listVaTransactions } from './virtual-account/rpc/list-va-transactions.ts';
import { listVirtualAccounts } from './virtual-account/rpc/list-virtual-accounts.ts';
import { updateVirtualAccount } from './virtual-account/rpc/update-virtual-account.ts';

/** Everything that others may call, and who may. */
export function implementations(context: Context) {
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
      RailService,
      {
        inquireVirtualAccount: (request) => inquireVirtualAccount(context, request),
        inquireRetailCode: (request) => inquireRetailCode(context, request),
        notifyPayment: (request) => notifyPayment(context, request),
        notifyCheckoutFailed: (request) => notifyCheckoutFailed(context, request),
      },
      ['edge'],
    ),
  ];
}
