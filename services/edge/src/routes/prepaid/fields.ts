import { text } from '../../http/fields.ts';

/** Which commands there are is the biller's to say: they follow from its products. */
export const command = text.regex(/^[a-z0-9]{1,20}$/, 'must be 1 to 20 small letters and digits').meta({
  description: 'What kind of product: `plntok` for electricity tokens, `pulsa` for mobile credit.',
  examples: ['plntok'],
});
