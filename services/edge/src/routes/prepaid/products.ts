import { prepaidProductsSchema, presentPrepaidProducts } from '@gerbang/present';
import { z } from 'zod';
import { orAbsent } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { command } from './fields.ts';

/** GET {biller_url}/api/v1/prepaid/products (contract §9). Refusals: validation, and those of the biller. */
export const listPrepaidProducts = operation({
  id: 'listPrepaidProducts',
  summary: 'List prepaid products',
  description: 'What can be bought now, with its price.',
  input: z.object({ query: z.object({ command: orAbsent(command) }) }),
  data: prepaidProductsSchema,
  echoes: ['command'],
  async handle({ prepaid }, { caller, query }) {
    const { products } = await prepaid.listPrepaidProducts({ merchantId: caller.merchantId, command: query.command ?? '' });
    return { data: presentPrepaidProducts(products) };
  },
});
