import { hasCardNumber, isPlainText } from '@gerbang/core';
import { z } from 'zod';
import type { Texts } from '../text/id.ts';

/** The fields of the form in which a customer chooses how to pay, in their order on the page. */
export const FIELDS = ['customer_name', 'customer_email', 'customer_phone', 'payment_method'] as const;
export type Field = (typeof FIELDS)[number];

/** What a customer has entered: shown again as it was where something is wrong. */
export type Entered = Record<Field, string>;
/** The sentence next to each field that is wrong. */
export type FormErrors = Partial<Record<Field, string>>;

const ENTERED_MAX = 300;
const OVO = 'EWALLET_OVO';

/** A form's body, field by field: a missing field is empty, an absurdly long one is cut. */
export function readEntered(body: string): Entered {
  const given = new URLSearchParams(body);
  const text = (field: Field) => (given.get(field) ?? '').trim().slice(0, ENTERED_MAX);
  return {
    customer_name: text('customer_name'),
    customer_email: text('customer_email'),
    customer_phone: text('customer_phone'),
    payment_method: text('payment_method'),
  };
}

/**
 * The form's values, or what is wrong with them, in the customer's language. OVO asks for a phone also where the link does not
 * (contract §5).
 */
export function checkEntered(
  entered: Entered,
  asked: { methods: readonly string[]; needsCustomer: boolean },
  texts: Texts,
): { values: Entered } | { errors: FormErrors } {
  const needsPhone = asked.needsCustomer || entered.payment_method === OVO;
  const schema = z.object({
    customer_name: optional(
      asked.needsCustomer,
      z
        .string()
        .min(1, texts.nameMissing)
        .max(100, texts.nameWrong)
        .regex(/^[^\p{Cc}]*$/u, texts.nameWrong)
        .refine(isPlainText, texts.nameWrong)
        .refine(hasNoCardNumber, texts.cardNumber),
    ),
    customer_email: optional(
      asked.needsCustomer,
      z
        .string()
        .min(1, texts.emailMissing)
        .max(254, texts.emailWrong)
        .pipe(z.email(texts.emailWrong).refine(hasNoCardNumber, texts.cardNumber)),
    ),
    customer_phone: optional(
      needsPhone,
      z
        .string()
        .min(1, texts.phoneMissing)
        .transform((text) => text.replace(/[\s().-]/g, ''))
        .pipe(z.string().regex(/^\+?[0-9]{8,15}$/, texts.phoneWrong)),
    ),
    payment_method: z.string().refine((code) => asked.methods.includes(code), texts.chooseMissing),
  });
  const checked = schema.safeParse(entered);
  if (checked.success) return { values: checked.data };
  const errors: FormErrors = {};
  for (const issue of checked.error.issues) {
    const field = FIELDS.find((name) => name === issue.path[0]);
    if (field !== undefined) errors[field] ??= issue.message;
  }
  return { errors };
}

function hasNoCardNumber(text: string): boolean {
  return !hasCardNumber(text);
}

/** A field that is not asked for is left out, also where it was sent. */
function optional(isAsked: boolean, schema: z.ZodType<string, string>): z.ZodType<string, string> {
  return isAsked ? schema : z.string().transform(() => '');
}
