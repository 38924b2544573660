import type { Product } from './product.ts';

const SCHEMA = 1;

/** A version of a product; `_id` = "<code>:<effective_from>", so that setting the same version again replaces it. */
export type ProductDocument = {
  _id: string;
  schema: number;
  code: string;
  command: string;
  name: string;
  amount_sen: bigint;
  admin_sen: bigint;
  rail_code: string;
  customer_digits_min: number;
  customer_digits_max: number;
  customer_prefix: string;
  gives_token: boolean;
  effective_from: Date;
  effective_until?: Date;
};

export function toDocument(product: Product): ProductDocument {
  const { effectiveFromMs, effectiveUntilMs, customer } = product;
  return {
    _id: `${product.code}:${effectiveFromMs}`,
    schema: SCHEMA,
    code: product.code,
    command: product.command,
    name: product.name,
    amount_sen: product.amountSen,
    admin_sen: product.adminSen,
    rail_code: product.railCode,
    customer_digits_min: customer.digitsMin,
    customer_digits_max: customer.digitsMax,
    customer_prefix: customer.prefix,
    gives_token: product.givesToken,
    effective_from: new Date(effectiveFromMs),
    ...(effectiveUntilMs !== undefined && { effective_until: new Date(effectiveUntilMs) }),
  };
}

export function fromDocument(document: ProductDocument): Product {
  return {
    code: document.code,
    command: document.command,
    name: document.name,
    amountSen: document.amount_sen,
    adminSen: document.admin_sen,
    railCode: document.rail_code,
    customer: {
      digitsMin: document.customer_digits_min,
      digitsMax: document.customer_digits_max,
      prefix: document.customer_prefix,
    },
    givesToken: document.gives_token,
    effectiveFromMs: document.effective_from.getTime(),
    effectiveUntilMs: document.effective_until?.getTime(),
  };
}
