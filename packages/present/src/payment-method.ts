import { PAYMENT_METHODS } from '@gerbang/core';
import { z } from 'zod';
import { PaymentMethodCode } from './schemas.ts';

const paymentMethodSchema = z
  .strictObject({
    code: PaymentMethodCode,
    name: z.string(),
    group: z.enum(PAYMENT_METHODS.map(({ group }) => group)),
    desc: z.string(),
  })
  .meta({ id: 'PaymentMethod', description: 'A method by which customers pay payment links.' });

export const paymentMethodsSchema = z
  .strictObject({
    payment_methods: z.array(paymentMethodSchema).meta({ description: 'Every method that there is.' }),
    available_codes: z.array(PaymentMethodCode).meta({ description: 'Those that customers can pay by here.' }),
  })
  .meta({ id: 'PaymentMethods', description: 'The catalogue of payment methods.' });

export type PaymentMethodsJson = z.output<typeof paymentMethodsSchema>;

/** Every method, and the codes of those that customers can pay by (merchant-api.md, payment link). */
export function presentPaymentMethods(availableCodes: readonly string[]): PaymentMethodsJson {
  return { payment_methods: [...PAYMENT_METHODS], available_codes: [...availableCodes] };
}
