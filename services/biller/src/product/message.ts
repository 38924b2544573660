import { create } from '@bufbuild/protobuf';
import { type Product as ProductMessage, ProductSchema } from '@gerbang/proto/gerbang/biller/v1/biller';
import type { Product } from './product.ts';

/** A version of a product as the contract between services shows it. */
export function toMessage({ customer, effectiveFromMs, effectiveUntilMs, ...product }: Product): ProductMessage {
  return create(ProductSchema, {
    ...product,
    customerDigitsMin: customer.digitsMin,
    customerDigitsMax: customer.digitsMax,
    customerPrefix: customer.prefix,
    effectiveFromMs: BigInt(effectiveFromMs),
    effectiveUntilMs: BigInt(effectiveUntilMs ?? 0),
  });
}

/** What an operator sends, not checked yet. */
export function fromMessage(message: ProductMessage): Product {
  const { code, command, name, amountSen, adminSen, railCode, givesToken } = message;
  return {
    code,
    command,
    name,
    amountSen,
    adminSen,
    railCode,
    givesToken,
    customer: { digitsMin: message.customerDigitsMin, digitsMax: message.customerDigitsMax, prefix: message.customerPrefix },
    effectiveFromMs: Number(message.effectiveFromMs),
    effectiveUntilMs: message.effectiveUntilMs === 0n ? undefined : Number(message.effectiveUntilMs),
  };
}
