import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  acquirerNns,
  decodeQris,
  encodeQris,
  isRefusal,
  nationalMerchantId,
  type Qris,
  qrisNames,
  tipSen,
} from '../../src/index.ts';
import { crc16 } from '../../src/qris/crc16.ts';
import { readPayload, writePayload } from '../../src/qris/payload.ts';
import { qrisCodes } from './arbitraries.ts';

const code: Qris = {
  type: 'mpm-dynamic',
  accounts: [
    { tag: '26', globallyUniqueId: 'ID.CO.BANK.WWW', pan: '936000091500000012', merchantId: 'M1', criteria: 'UMI', others: [] },
    { tag: '51', globallyUniqueId: 'ID.CO.QRIS.WWW', merchantId: 'ID1020000000034', criteria: 'UMI', others: [] },
  ],
  merchantCategoryCode: '5812',
  amountSen: 25_000_00n,
  merchantName: 'Warung Bu Sri',
  merchantCity: 'Kab. Demak',
  postalCode: '59567',
  others: [],
};

function written(qris: Qris): string {
  const payload = encodeQris(qris);
  if (isRefusal(payload)) throw new Error(payload.message);
  return payload;
}

function messageOf(answer: unknown): string {
  return isRefusal(answer) ? answer.message : 'not refused';
}

/** The objects of the code after a change, with a checksum that is right. */
function changed(change: (values: Map<string, string>) => void): string {
  const values = new Map(readPayload(written(code)).map(({ tag, value }) => [tag, value]));
  change(values);
  return writePayload([...values].map(([tag, value]) => ({ tag, value })));
}

describe('a code that is written', () => {
  test('looks like those in circulation', () => {
    expect(written(code).slice(0, -4)).toBe(
      '00020101021226530014ID.CO.BANK.WWW01189360000915000000120202M10303UMI51440014ID.CO.QRIS.WWW0215ID10200000000340303UMI' +
        '5204581253033605405250005802ID5913Warung Bu Sri6010Kab. Demak6105595676304',
    );
  });

  test('is read as the same', () => {
    fc.assert(
      fc.property(qrisCodes, (qris) => {
        const payload = encodeQris(qris);
        // Some do not fit into 99 characters of a template.
        if (isRefusal(payload)) return expect(payload.message).toMatch(/^qr_data: tag 62 is longer than 99 characters$/);
        expect(decodeQris(payload)).toEqual(qris);
      }),
    );
  });

  test('has its tags in order, the checksum last', () => {
    fc.assert(
      fc.property(qrisCodes, (qris) => {
        const payload = encodeQris(qris);
        fc.pre(!isRefusal(payload));
        const tags = readPayload(payload).map(({ tag }) => tag);
        expect(tags).toEqual(tags.toSorted());
        expect(payload.slice(-8)).toBe(`6304${crc16(payload.slice(0, -4))}`);
      }),
    );
  });

  test('is the same after it was read, whatever the order of its objects', () => {
    fc.assert(
      fc.property(qrisCodes, fc.infiniteStream(fc.nat(1_000)), (qris, numbers) => {
        const payload = encodeQris(qris);
        fc.pre(!isRefusal(payload));
        const [first, ...rest] = readPayload(payload);
        const shuffled = rest
          .map((object) => ({ object, at: numbers.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ object: { tag, value } }) => `${tag}${String([...value].length).padStart(2, '0')}${value}`);
        const text = `0002${first?.value}${shuffled.join('')}6304`;
        const read = decodeQris(text + crc16(text));
        if (isRefusal(read)) throw new Error(read.message);
        expect(encodeQris(read)).toBe(payload);
      }),
    );
  });

  test.each<[Partial<Qris>, string]>([
    [{ merchantName: 'Café' }, 'tag 59 is not printable ASCII'],
    [{ merchantName: '' }, 'tag 59 is not printable ASCII'],
    [{ merchantName: 'x'.repeat(26) }, 'tag 59 is longer than 25 characters'],
    [{ merchantCity: 'x'.repeat(16) }, 'tag 60 is longer than 15 characters'],
    [{ postalCode: '1'.repeat(11) }, 'tag 61 is longer than 10 characters'],
    [{ merchantCategoryCode: '581' }, 'tag 52 is not 4 digits'],
    [{ amountSen: 99_999_999_999_999n }, 'tag 54 is longer than 13 characters'],
    [{ amountSen: 0n }, 'tag 54 is not an amount of rupiah'],
    [{ tip: { indicator: 'percentage', basisPoints: 10_000 } }, 'tag 57 is not a percentage from 00.01 to 99.99'],
    [{ tip: { indicator: 'fixed', amountSen: 0n } }, 'tag 56 is not an amount of rupiah'],
    [{ accounts: [] }, 'tag 51 is missing: this is not a QRIS code'],
    [{ accounts: code.accounts.slice(0, 1) }, 'tag 51 is missing: this is not a QRIS code'],
    [{ additionalData: { billNumber: 'x'.repeat(26), others: [] } }, 'tag 62.01 is longer than 25 characters'],
    [{ additionalData: { consumerDataRequest: 'X', others: [] } }, 'tag 62.09 is not letters of A, M and E'],
    [{ additionalData: { others: [] } }, 'tag 62 is empty'],
    [{ others: [{ tag: '59', value: 'x' }] }, 'tag 59 is there twice'],
    [{ others: [{ tag: '9', value: 'x' }] }, 'tag 9 is not two digits'],
    [{ others: [{ tag: '99', value: 'x'.repeat(100) }] }, 'tag 99 is longer than 99 characters'],
  ])('is refused with %o', (over, message) => expect(messageOf(encodeQris({ ...code, ...over }))).toBe(`qr_data: ${message}`));

  test.each([
    [{ pan: '936000091500000' }, '26.01 is not 9360 and 12 to 15 digits'],
    [{ merchantId: 'x'.repeat(16) }, '26.02 is longer than 15 characters'],
    [{ criteria: 'umi' }, '26.03 is not three capital letters'],
    [{ globallyUniqueId: 'ID.CO.QRIS.WWW' }, '26.02 is not ID and 13 digits'],
  ])('is refused with the account %j', (over, message) => {
    const accounts = code.accounts.map((account, i) => (i === 0 ? { ...account, ...over } : account));
    expect(messageOf(encodeQris({ ...code, accounts }))).toBe(`qr_data: tag ${message}`);
  });
});

describe('a code that is read', () => {
  /**
   * Of the shape that two large acquirers give their codes; the merchants are made up, the checksums come from another program.
   */
  test.each([
    [
      '00020101021126570011ID.DANA.WWW011893600915300000001102090000000110303UMI51440014ID.CO.QRIS.WWW0215ID10200000000110303UMI' +
        '5204581253033605802ID5919Warung Nasi Bu Tini6010Kab. Demak6105595676304C599',
      { merchantName: 'Warung Nasi Bu Tini', nmid: 'ID1020000000011', nns: '93600915', terminal: undefined },
    ],
    [
      '00020101021126610014COM.GO-JEK.WWW01189360091430000000120210G3000000120303UMI51440014ID.CO.QRIS.WWW0215ID10240000000120303UMI' +
        '5204581253033605802ID5911TOKO CONTOH6005Medan61052011162070703A016304D44E',
      { merchantName: 'TOKO CONTOH', nmid: 'ID1024000000012', nns: '93600914', terminal: 'A01' },
    ],
  ])('%s', (payload, { merchantName, nmid, nns, terminal }) => {
    const qris = decodeQris(payload);
    if (isRefusal(qris)) throw new Error(qris.message);
    expect(qris).toMatchObject({ type: 'mpm-static', merchantName });
    expect([nationalMerchantId(qris), acquirerNns(qris), qris.additionalData?.terminalLabel]).toEqual([nmid, nns, terminal]);
    // They are written in order, so that writing what was read gives the very code.
    expect(encodeQris(qris)).toBe(payload);
  });

  test('is refused after any change of one character', () => {
    const payload = written(code);
    fc.assert(
      fc.property(fc.nat(payload.length - 5), fc.integer({ min: 0x20, max: 0x7e }), (at, unit) => {
        const character = String.fromCharCode(unit);
        fc.pre(payload[at] !== character);
        expect(isRefusal(decodeQris(payload.slice(0, at) + character + payload.slice(at + 1)))).toBe(true);
      }),
    );
  });

  test('is refused wherever it ends too early, and never throws', () => {
    const payload = written(code);
    for (let length = 0; length < payload.length; length++) expect(isRefusal(decodeQris(payload.slice(0, length)))).toBe(true);
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => isRefusal(decodeQris(`000201${text}`))));
  });

  test.each<[string, string, string]>([
    ['nothing', '', '00 is not the first one'],
    ['another kind of code', 'https://example.com', '00 is not the first one'],
    ['one that ends within a value', '00020101021226530014ID.CO', '26 is truncated'],
    ['one that ends within a length', '0002010', '0 is truncated'],
    ['a length that is none', '000201010x12', '01 has a length that is not two digits'],
    ['a tag that is none', '000201ab0212', 'ab is not two digits'],
    ['an empty value', '0002010100', '01 is empty'],
    ['no checksum', '00020101021253033605802ID', '63 is not the last one'],
    ['half a character', '00020159010\ud83c', '00 is followed by text that is not Unicode'],
    ['a wrong checksum', `${written(code).slice(0, -4)}0000`, '63 is not the checksum of the code'],
    ['far too much', `000201${'99'.repeat(300)}`, '63 is not reached: the code is longer than 512 characters'],
    ['another version', changed((values) => values.set('00', '02')), '00 is not 01'],
    ['another currency', changed((values) => values.set('53', '156')), '53 is not 360 (IDR)'],
    ['another country', changed((values) => values.set('58', 'SG')), '58 is not ID'],
    ['no name', changed((values) => values.delete('59')), '59 is missing'],
    ['no category', changed((values) => values.delete('52')), '52 is missing'],
    ['no national account', changed((values) => values.delete('51')), '51 is missing: this is not a QRIS code'],
    ['an amount of nothing', changed((values) => values.set('54', '0')), '54 is not an amount of rupiah'],
    ['an amount in words', changed((values) => values.set('54', '1,000')), '54 is not an amount of rupiah'],
    ['a name too long', changed((values) => values.set('59', 'é'.repeat(26))), '59 is longer than 25 characters'],
    ['control characters', changed((values) => values.set('60', 'a\u0000b')), '60 is not text'],
    ['an unknown initiation', changed((values) => values.set('01', '13')), '01 is not 11 (static) or 12 (dynamic)'],
    ['an unknown tip', changed((values) => values.set('55', '04')), '55 is not 01, 02 or 03'],
    ['a fixed tip without its amount', changed((values) => values.set('55', '02')), '56 is missing'],
    ['an amount without its fixed tip', changed((values) => values.set('56', '100')), '56 is there without 02 in tag 55'],
    ['a percentage without its tip', changed((values) => values.set('57', '5')), '57 is there without 03 in tag 55'],
    [
      'a percentage of nothing',
      changed((values) => values.set('55', '03').set('57', '0')),
      '57 is not a percentage from 00.01 to 99.99',
    ],
    ['a template that ends', changed((values) => values.set('62', '0705A01')), '62.07 is truncated'],
    ['a template with a tag twice', changed((values) => values.set('62', '0701a0701b')), '62.07 is there twice'],
    ['an account of nobody', changed((values) => values.set('26', '0101x')), '26.00 is missing'],
    ['a name in no language', changed((values) => values.set('64', '0101x')), '64.00 is missing'],
  ])('is refused: %s', (_, payload, message) => expect(messageOf(decodeQris(payload))).toBe(`qr_data: tag ${message}`));

  test('a checksum in lower-case hex is the same number', () => {
    const payload = written({ ...code, postalCode: '59561' });
    const lower = payload.slice(0, -4) + payload.slice(-4).toLowerCase();
    expect(decodeQris(lower)).toEqual(decodeQris(payload));
  });

  test('names beyond ASCII are read, though not written, and lengths count characters', () => {
    expect(decodeQris(changed((values) => values.set('59', 'é🍜'.repeat(12))))).toMatchObject({ merchantName: 'é🍜'.repeat(12) });
  });

  test.each<[string, bigint]>([
    ['25000', 25_000_00n],
    ['25000.', 25_000_00n],
    ['25000.5', 25_000_50n],
    ['0025000.05', 25_000_05n],
  ])('the amount %s', (text, amountSen) =>
    expect(decodeQris(changed((values) => values.set('54', text)))).toMatchObject({ amountSen }),
  );

  test.each<[string, number]>([
    ['3', 300],
    ['3.', 300],
    ['03.5', 350],
    ['00.01', 1],
    ['99.99', 9_999],
  ])('the percentage %s', (text, basisPoints) =>
    expect(decodeQris(changed((values) => values.set('55', '03').set('57', text)))).toMatchObject({
      tip: { indicator: 'percentage', basisPoints },
    }),
  );
});

describe('names', () => {
  test.each([
    ['Toko Maju', 'Jakarta', { merchantName: 'Toko Maju', merchantCity: 'Jakarta' }],
    ['  Toko\n Maju  ', 'Kota Administrasi Jakarta', { merchantName: 'Toko Maju', merchantCity: 'Kota Administra' }],
    [
      'Kafé “Ångström” ☕',
      'Malang',
      {
        merchantName: 'Kafe "Angstrom"',
        merchantCity: 'Malang',
        alternateLanguage: { language: 'ID', merchantName: 'Kafé “Ångström” ☕', merchantCity: 'Malang', others: [] },
      },
    ],
    [
      '最佳运输',
      'Surabaya',
      {
        merchantName: 'MERCHANT',
        merchantCity: 'Surabaya',
        alternateLanguage: { language: 'ID', merchantName: '最佳运输', merchantCity: 'Surabaya', others: [] },
      },
    ],
    ['', '', { merchantName: 'MERCHANT', merchantCity: 'INDONESIA' }],
  ])('%j in %j', (name, city, expected) => expect(qrisNames(name, city)).toEqual(expected));

  test('whatever a merchant is called, its code can be written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (name, city) => {
        const qris = { ...code, ...qrisNames(name, city) };
        expect(decodeQris(written(qris))).toMatchObject({ ...qrisNames(name, city) });
      }),
    );
  });
});

test.each<[Qris['tip'], bigint]>([
  [undefined, 0n],
  [{ indicator: 'input' }, 700n],
  [{ indicator: 'fixed', amountSen: 1_000_00n }, 1_000_00n],
  [{ indicator: 'percentage', basisPoints: 500 }, 1_250_00n],
  [{ indicator: 'percentage', basisPoints: 3 }, 8_00n],
])('the tip %o of IDR 25,000 is %s sen', (tip, expected) => expect(tipSen(tip, 25_000_00n, 700n)).toBe(expected));
