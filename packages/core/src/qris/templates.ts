import type { DataObject } from './data-object.ts';
import { ans, type Format, text } from './formats.ts';

/** Tags of a template by the names of their fields. */
export type TagsOf<Name extends string> = Readonly<Record<Name, string>>;

/** Merchant account information, 26 to 51. */
export const ACCOUNT_TAGS = { globallyUniqueId: '00', pan: '01', merchantId: '02', criteria: '03' } as const;
/** Additional data, 62. */
export const ADDITIONAL_DATA_TAGS = {
  billNumber: '01',
  mobileNumber: '02',
  storeLabel: '03',
  loyaltyNumber: '04',
  referenceLabel: '05',
  customerLabel: '06',
  terminalLabel: '07',
  purpose: '08',
  consumerDataRequest: '09',
} as const;
/** Merchant information in another language, 64. */
export const LANGUAGE_TAGS = { language: '00', merchantName: '01', merchantCity: '02' } as const;

/** Formats within the templates; what the networks have put into their accounts beside the identifier is their own matter. */
export const ACCOUNT_FORMATS: Readonly<Record<string, Format>> = { '00': ans(32) };
export const ADDITIONAL_DATA_FORMATS: Readonly<Record<string, Format>> = {
  ...Object.fromEntries(Object.values(ADDITIONAL_DATA_TAGS).map((tag) => [tag, text(25)])),
  '09': { max: 3, pattern: /^[AME]{1,3}$/, kind: 'letters of A, M and E' },
};
export const LANGUAGE_FORMATS: Readonly<Record<string, Format>> = {
  '00': { max: 2, pattern: /^[A-Za-z]{2}$/, kind: 'two letters' },
  '01': text(25),
  '02': text(15),
};

/** The fields that a template's objects have, by name, and the objects that have none. */
export function splitFields<Name extends string>(
  objects: readonly DataObject[],
  tags: TagsOf<Name>,
): { field: (name: Name) => string | undefined; others: DataObject[] } {
  const values = new Map(objects.map(({ tag, value }) => [tag, value]));
  const known = new Set<string>(Object.values(tags));
  return { field: (name) => values.get(tags[name]), others: objects.filter(({ tag }) => !known.has(tag)) };
}

/** The objects of a template's fields, and the others. */
export function joinFields<Name extends string>(
  fields: { readonly [K in NoInfer<Name>]?: string | undefined } & { others: readonly DataObject[] },
  tags: TagsOf<Name>,
): DataObject[] {
  const objects: DataObject[] = [];
  for (const name in tags) {
    const value: string | undefined = fields[name];
    if (value !== undefined) objects.push({ tag: tags[name], value });
  }
  return [...objects, ...fields.others];
}
