import type { Context } from '../../context.ts';
import { toMessage } from '../message.ts';

/** Every version of every product, for operators. */
export async function listProductVersions({ products }: Context) {
  return { products: (await products.listVersions()).map(toMessage) };
}
