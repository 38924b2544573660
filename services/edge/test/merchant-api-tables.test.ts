import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** The specification that the project is built to; it is not a part of the repository. */
const SPECIFICATION = new URL('../../../../shared/spec/merchant-api.md', import.meta.url);

type Schema = {
  type?: string | string[];
  $ref?: string;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  properties?: Record<string, Schema>;
};
const { components }: { components: { schemas: Record<string, Schema> } } = JSON.parse(
  readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'),
);

/** The schema of each resource whose fields the specification lists, by the heading or the head of its table. */
const RESOURCES: Readonly<Record<string, string>> = {
  'QRIS money-in transaction (returned by inquiry-status and show)': 'QrisTransaction',
  'QRIS money-out transaction data (status inquiry and issuer webhook)': 'QrisPayment',
  'Virtual account': 'VirtualAccount',
  'Merchant balance snapshot': 'Balance',
  'Payment method catalog entry': 'PaymentMethod',
  'Beneficiary check result': 'Beneficiary',
  'Retail transaction': 'RetailTransaction',
  'Prepaid inquiry data': 'PrepaidInquiry',
  payment_link_history: 'PaymentLinkHistoryOfWebhook',
  payment_link: 'PaymentLinkOfWebhook',
};

/** Resources of products that are not there yet. Who builds one moves its line to RESOURCES. */
const TO_COME: readonly string[] = [];

/** Backticked words of a resource's section that are no fields of it. */
const NO_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'Beneficiary check result': ['valid'],
  'Payment method catalog entry': ['available_codes'],
};

/** Where the specification lists the fields of resources; elsewhere it lists those of requests. */
const CHAPTERS: readonly string[] = ['Resources and their fields', 'Events'];

type Field = { resource: string; field: string; type: string };

describe.skipIf(!existsSync(SPECIFICATION))(
  'merchant-api.md (skipped where the specification is not beside the repository)',
  () => {
    const fields = existsSync(SPECIFICATION) ? fieldsOf(readFileSync(SPECIFICATION, 'utf8')) : [];

    test('every resource with listed fields is there or to come', () => {
      expect([...new Set(fields.map(({ resource }) => resource))].sort()).toEqual([...Object.keys(RESOURCES), ...TO_COME].sort());
    });

    test.each(fields.filter(({ resource }) => !TO_COME.includes(resource)))(
      '$resource: $field is $type',
      ({ resource, field, type }) => {
        const schema = resolve({ $ref: `#/components/schemas/${RESOURCES[resource]}` }).properties?.[field];
        expect(schema, `${RESOURCES[resource]} has no ${field}`).toBeDefined();
        for (const wanted of kindsOf(type)) expect(typesOf(schema ?? {})).toContain(wanted);
      },
    );
  },
);

/** Fields of tables whose first column is of fields, and of the sections that list them in a sentence. */
function fieldsOf(markdown: string): Field[] {
  const fields: Field[] = [];
  let chapter = '';
  let heading = '';
  let table = '';
  for (const line of markdown.split('\n')) {
    if (/^## /.test(line)) chapter = line.replace(/^## /, '');
    if (!CHAPTERS.includes(chapter)) continue;
    if (/^#/.test(line)) [heading, table] = [line.replace(/^#+ /, ''), ''];
    const cells = line.split('|').map((cell) => cell.trim());
    const [, first = '', type = ''] = cells;
    if (type === 'Type') table = first === 'Field' ? heading : first.replace(/ field$/, '');
    else if (cells.length === 1) table = '';
    else if (table !== '' && !first.startsWith('-')) {
      for (const field of first.split(', ')) fields.push({ resource: table, field, type });
    }
    if (cells.length === 1 && isListed(heading)) {
      const known = NO_FIELDS[heading] ?? [];
      for (const [, field = ''] of line.matchAll(/`([a-z_]+)`/g)) {
        if (known.includes(field)) continue;
        const [, said = ''] = new RegExp(`\`${field}\` \\((string)`).exec(line) ?? [];
        fields.push({ resource: heading, field, type: heading.includes('balance') ? 'money object' : said });
      }
    }
  }
  return fields;
}

function isListed(heading: string): boolean {
  return [
    'Merchant balance snapshot',
    'Payment method catalog entry',
    'Beneficiary check result',
    'Prepaid inquiry data',
    'Retail transaction',
  ].includes(heading);
}

/** What JSON has for a type of the specification. */
function kindsOf(type: string): string[] {
  if (type === '') return [];
  const kinds = type.includes('null') ? ['null'] : [];
  if (/^(?:string|timestamp|`open` or|`temporary` or)/.test(type)) return [...kinds, 'string'];
  if (/^integer/.test(type)) return [...kinds, 'integer'];
  if (/^number/.test(type)) return [...kinds, 'number'];
  if (/^boolean/.test(type)) return [...kinds, 'boolean'];
  if (/^(?:object|money object|`\{)/.test(type)) return [...kinds, 'object'];
  throw new Error(`no kind of JSON is known for "${type}"`);
}

function typesOf(schema: Schema): string[] {
  const { type, anyOf } = resolve(schema);
  if (anyOf !== undefined) return anyOf.flatMap(typesOf);
  const types = [type ?? []].flat();
  // An integer is a number that has no fraction.
  return types.includes('integer') ? [...types, 'number'] : types;
}

function resolve(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (components.schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {});
}
