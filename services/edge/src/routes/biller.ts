import { legacy } from '../http/envelope-legacy.ts';
import type { Route } from '../http/route.ts';
import { chapter, get, post, signedPost } from './methods.ts';
import { inquirePrepaid } from './prepaid/inquiry.ts';
import { payPrepaid } from './prepaid/payment.ts';
import { listPrepaidProducts } from './prepaid/products.ts';

/** The whole URL map of biller_url (contract §9). */
export const billerRoutes: readonly Route[] = chapter(
  {
    name: 'Prepaid biller',
    description: 'Prepaid products of billers: electricity tokens, mobile credit. On a host of its own.',
  },
  [
    post('/api/v1/prepaid/inquiry', legacy, inquirePrepaid),
    signedPost('/api/v1/prepaid/payment', legacy, payPrepaid),
    get('/api/v1/prepaid/products', legacy, listPrepaidProducts),
  ],
);
