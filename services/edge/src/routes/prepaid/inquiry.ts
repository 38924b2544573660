import { prepaidInquirySchema, presentPrepaidInquiry } from '@gerbang/present';
import { z } from 'zod';
import { text } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { command } from './fields.ts';

/** Longer than the biller service waits for the rail, so that it says what a silent biller means. */
const TIMEOUT_MS = 8_000;

const body = z.object({
  command,
  data: z
    .object({
      customer_id: text.regex(/^[0-9]{1,20}$/, 'must be digits, at most 20').meta({
        description: "The customer's number; how many digits it has depends on the product.",
        examples: ['12345678901'],
      }),
      product_code: text
        .regex(/^[A-Z0-9]{1,20}$/, 'must be 1 to 20 capital letters and digits')
        .meta({ description: 'A product of the command, as the list of products has it.', examples: ['PLN50'] }),
    })
    .meta({ id: 'InquirePrepaidRequestData', description: 'What is asked about.' }),
});

/** POST {biller_url}/api/v1/prepaid/inquiry (merchant-api.md; contract §9). Refusals: validation, and those of the biller. */
export const inquirePrepaid = operation({
  id: 'inquirePrepaid',
  summary: 'Ask for the price of a prepaid product',
  description:
    'Asks the biller whose number it is, and promises the price for 15 minutes under a `reference_number`, by which it is paid. ' +
    'Nothing is debited. PLN does not answer from 23:00 to 01:00, Asia/Jakarta, in production.',
  input: z.object({ body }),
  data: prepaidInquirySchema,
  echoes: ['command'],
  refusals: ['vendor_inactive'],
  async handle({ prepaid }, { caller, body: asked }) {
    const { customer_id: customerId, product_code: productCode } = asked.data;
    const { inquiry } = await prepaid.inquirePrepaid(
      { merchantId: caller.merchantId, command: asked.command, customerId, productCode },
      { timeoutMs: TIMEOUT_MS },
    );
    if (inquiry === undefined) throw new Error('the biller answered no inquiry');
    return { data: presentPrepaidInquiry(inquiry) };
  },
});
