import fc from 'fast-check';
import type { DataObject, Qris, QrisTip } from '../../src/index.ts';

/** Printable ASCII. */
export const ansText = (max: number) =>
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: max,
  });
const digitText = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
/** Text of any script, lengths in characters. */
const anyText = (max: number) =>
  fc.string({
    unit: fc.constantFrom('a', 'Z', '7', ' ', 'é', 'Å', '最', '佳', 'ꦲ', '🍜', '-'),
    minLength: 1,
    maxLength: max,
  });

/** Objects with other tags than these, ascending, each once. */
const otherObjects = (tags: readonly string[], maxLength: number): fc.Arbitrary<DataObject[]> =>
  fc
    .uniqueArray(fc.record({ tag: fc.constantFrom(...tags), value: anyText(6) }), { selector: ({ tag }) => tag, maxLength })
    .map((objects) => objects.toSorted((a, b) => (a.tag < b.tag ? -1 : 1)));

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const acquirer = fc.record({
  tag: fc.constantFrom('26', '27', '45'),
  globallyUniqueId: fc.constantFrom('ID.CO.BNI.WWW', 'COM.GO-JEK.WWW', 'ID.DANA.WWW'),
  pan: optional(digitText(14).map((rest) => `9360${rest}`)),
  merchantId: optional(ansText(15)),
  criteria: optional(fc.constantFrom('UMI', 'UKE', 'UME', 'UBE')),
  others: otherObjects(['04', '50'], 1),
});

const national = fc.record({
  tag: fc.constant('51'),
  globallyUniqueId: fc.constant('ID.CO.QRIS.WWW'),
  pan: fc.constant(undefined),
  merchantId: digitText(13).map((rest) => `ID${rest}`),
  criteria: optional(fc.constantFrom('UMI', 'UKE')),
  others: fc.constant([]),
});

const tip: fc.Arbitrary<QrisTip> = fc.oneof(
  fc.record({ indicator: fc.constant('input' as const) }),
  fc.record({ indicator: fc.constant('fixed' as const), amountSen: fc.bigInt({ min: 1n, max: 999_999_999_99n }) }),
  fc.record({ indicator: fc.constant('percentage' as const), basisPoints: fc.integer({ min: 1, max: 9_999 }) }),
);

const additionalData = fc.record({
  billNumber: optional(anyText(20)),
  mobileNumber: fc.constant(undefined),
  storeLabel: fc.constant(undefined),
  loyaltyNumber: fc.constant(undefined),
  referenceLabel: fc.constantFrom('***', 'R1'),
  customerLabel: fc.constant(undefined),
  terminalLabel: optional(ansText(8)),
  purpose: optional(anyText(10)),
  consumerDataRequest: optional(fc.constantFrom('A', 'ME')),
  others: otherObjects(['10', '50'], 1),
});

const alternateLanguage = fc.record({
  language: fc.constantFrom('ZH', 'ID', 'jv'),
  merchantName: anyText(25),
  merchantCity: optional(anyText(15)),
  others: otherObjects(['03'], 1),
});

/** Codes that can be written: as decodeQris gives them, every field there. */
export const qrisCodes: fc.Arbitrary<Qris> = fc.record({
  type: fc.constantFrom('mpm-static' as const, 'mpm-dynamic' as const),
  accounts: fc.tuple(acquirer, national).map((accounts) => [...accounts]),
  merchantCategoryCode: digitText(4),
  amountSen: optional(fc.bigInt({ min: 1n, max: 9_999_999_999_99n })),
  tip: optional(tip),
  merchantName: ansText(25),
  merchantCity: ansText(15),
  postalCode: optional(ansText(10)),
  additionalData: optional(additionalData),
  alternateLanguage: optional(alternateLanguage),
  others: otherObjects(['02', '15', '65', '80', '99'], 2),
});
