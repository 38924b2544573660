import { v1 } from '../http/envelope-v1.ts';
import type { Route } from '../http/route.ts';
import { del, get, post, put } from './methods.ts';
import { createVirtualAccount } from './virtual-accounts/create.ts';
import { deleteVirtualAccount } from './virtual-accounts/delete.ts';
import { listVirtualAccounts } from './virtual-accounts/list.ts';
import { listVaTransactions } from './virtual-accounts/list-transactions.ts';
import { showVirtualAccount } from './virtual-accounts/show.ts';
import { showVaTransaction } from './virtual-accounts/show-transaction.ts';
import { updateVirtualAccount } from './virtual-accounts/update.ts';

/** The URL map of money in (contract §5). */
export const moneyInRoutes: readonly Route[] = [
  post('/api/v1.0/virtual-accounts/:account_id', v1, createVirtualAccount),
  get('/api/v1.0/virtual-accounts/:account_id', v1, listVirtualAccounts),
  get('/api/v1.0/virtual-accounts/:account_id/:id', v1, showVirtualAccount),
  put('/api/v1.0/virtual-accounts/:account_id/:id', v1, updateVirtualAccount),
  del('/api/v1.0/virtual-accounts/:account_id/:id', v1, deleteVirtualAccount),
  get('/api/v1.0/va-transactions/:account_id', v1, listVaTransactions),
  get('/api/v1.0/va-transactions/:account_id/:id', v1, showVaTransaction),
];
