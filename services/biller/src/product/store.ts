import { insertMissing, type Store, traced } from '@gerbang/store';
import { fromDocument, type ProductDocument, toDocument } from './document.ts';
import { FIRST_PRODUCTS } from './first-products.ts';
import { inEffect, type Product } from './product.ts';

/** Every version of every product. */
export type Products = {
  /** The version of a code that is in effect. */
  find(code: string, nowMs: number): Promise<Product | undefined>;
  /** What is sold now, of one command or of all, by command, then amount. */
  listSold(nowMs: number, command: string | undefined): Promise<Product[]>;
  /** All versions, also those to come and those that are over. */
  listVersions(): Promise<Product[]>;
  /** Adds a version, or replaces the one of the same code that begins at the same time. */
  set(product: Product): Promise<void>;
};

const COLLECTION = 'products';

/** Opens the products. The first ones are there from the first start on; one that an operator has changed stays so. */
export async function openProducts(store: Store): Promise<Products> {
  const products = store.collection<ProductDocument>(COLLECTION);
  await products.createIndex({ code: 1, effective_from: -1 }, { name: 'versions' });
  await insertMissing(products, FIRST_PRODUCTS.map(toDocument));
  const find = async (filter: { code?: string }) =>
    (await traced('find', COLLECTION, () => products.find(filter).toArray())).map(fromDocument);
  return {
    find: async (code, nowMs) => inEffect(await find({ code }), nowMs),
    async listSold(nowMs, command) {
      const byCode = Map.groupBy(await find({}), ({ code }) => code);
      return [...byCode.values()]
        .flatMap((versions) => inEffect(versions, nowMs) ?? [])
        .filter((product) => command === undefined || product.command === command)
        .sort(byCommandAndAmount);
    },
    listVersions: async () => (await find({})).sort((a, b) => byCommandAndAmount(a, b) || a.effectiveFromMs - b.effectiveFromMs),
    async set(product) {
      const { _id, ...fields } = toDocument(product);
      await traced('replaceOne', COLLECTION, () => products.replaceOne({ _id }, fields, { upsert: true }));
    },
  };
}

function byCommandAndAmount(a: Product, b: Product): number {
  return a.command.localeCompare(b.command) || Number(a.amountSen - b.amountSen) || a.code.localeCompare(b.code);
}
