import { Binary, BSONRegExp, Decimal128, Double, deserialize, MaxKey, MinKey, ObjectId, serialize, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareValues } from '../src/bson/compare.ts';
import { decodeDocument, decodeFields, openDocument } from '../src/bson/decode.ts';
import { encodeDocument, encodeOpened } from '../src/bson/encode.ts';
import { asDouble, DbPointer, RawDocument } from '../src/bson/types.ts';
import { encodeKey, encodeValue } from '../src/storage/index-key.ts';
import { documentsOf, startInProcess } from './self-check/server.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const nearDoubles = fc.bigInt({ min: -5n, max: 5n }).map((offset) => 2n ** 53n + offset);
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -400, max: 400 }))
  .map(([coefficient, exponent]) => Decimal128.fromString(`${coefficient}E${exponent}`));
const number = fc.oneof(
  fc.integer(),
  fc.double().map(asDouble),
  fc.integer({ min: -10, max: 10 }).map((value) => new Double(value)),
  int64,
  nearDoubles,
  nearDoubles.map((value) => Number(value)),
  decimal,
  fc.constantFrom(Decimal128.fromString('NaN'), Decimal128.fromString('Infinity'), Decimal128.fromString('9007199254740993.5')),
);
const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('a\0', 'a', 'a\0b', '\uffff', '\u{1f600}'));
const scalar = fc.oneof(
  number,
  text,
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => new Binary(bytes, 0)),
  fc.tuple(fc.nat(), fc.nat()).map(([t, i]) => new Timestamp({ t, i })),
  fc.constantFrom(new MinKey(), new MaxKey(), new BSONRegExp('a', 'i'), new BSONRegExp('b', '')),
);
const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 2 });
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

test('keys are in the order of the values', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(Math.sign(Buffer.compare(encodeValue(a), encodeValue(b)))).toBe(compareValues(a, b));
      expect(Math.sign(Buffer.compare(encodeValue(b, -1), encodeValue(a, -1)))).toBe(compareValues(a, b));
    }),
    { numRuns: 5000 },
  );
});

test('keys of numbers are in exact order over all types', () => {
  fc.assert(
    fc.property(number, number, (a, b) => {
      expect(Math.sign(Buffer.compare(encodeValue(a), encodeValue(b)))).toBe(compareValues(a, b));
    }),
    { numRuns: 10_000 },
  );
});

test('compound keys sort by their first difference', () => {
  fc.assert(
    fc.property(value, value, value, value, (a, b, c, d) => {
      const order = compareValues(a, c) || -compareValues(b, d);
      expect(Math.sign(Buffer.compare(encodeKey([a, b], [1, -1]), encodeKey([c, d], [1, -1])))).toBe(order + 0);
    }),
    { numRuns: 2000 },
  );
});

test('a document is written back byte by byte', () => {
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (doc) => {
      const bytes = serialize(doc);
      expect(Buffer.compare(encodeDocument(decodeDocument(bytes)), bytes)).toBe(0);
      expect(deserialize(encodeDocument(doc), { promoteValues: false })).toEqual(deserialize(bytes, { promoteValues: false }));
    }),
    { numRuns: 2000 },
  );
});

test('a document of which some fields are read and changed is written as one that is read wholly', () => {
  const documents = fc.dictionary(name, value, { noNullPrototype: true, maxKeys: 12 });
  fc.assert(
    fc.property(documents, fc.uniqueArray(name), documents, fc.uniqueArray(name), (doc, more, set, unset) => {
      const bytes = serialize(doc);
      const names = new Set([...more, ...Object.keys(set), ...unset]);
      const { fields, pieces } = openDocument(bytes, names);
      expect(Buffer.compare(encodeOpened(bytes, pieces, fields), bytes)).toBe(0);
      expect(decodeFields(bytes, names)).toEqual(fields);
      const whole = decodeDocument(bytes);
      for (const one of [fields, whole]) {
        for (const field of unset) delete one[field];
        Object.assign(one, set);
      }
      const expected = [...Object.keys(doc), ...Object.keys(set)].filter((field) => field in whole);
      const inPlace = Object.fromEntries(expected.map((field) => [field, whole[field]]));
      expect(Buffer.compare(encodeOpened(bytes, pieces, fields), encodeDocument(inPlace))).toBe(0);
    }),
    { numRuns: 2000 },
  );
});

test('a field that comes twice is written once if it was read, and both times if not', () => {
  const once = (doc: object) => serialize(doc).subarray(4, -1);
  const body = Buffer.concat([once({ a: 1 }), once({ b: 2 }), once({ a: 3 })]);
  const bytes = Buffer.concat([Buffer.alloc(4), body, Buffer.alloc(1)]);
  bytes.writeInt32LE(bytes.length, 0);
  const unread = openDocument(bytes, new Set(['b']));
  expect(Buffer.compare(encodeOpened(bytes, unread.pieces, unread.fields), bytes)).toBe(0);
  const read = openDocument(bytes, new Set(['a']));
  expect(Buffer.compare(encodeOpened(bytes, read.pieces, read.fields), serialize({ a: 3, b: 2 }))).toBe(0);
});

test('documents beyond 64 KiB and 1 MiB come back byte by byte', () => {
  // Each value is written at another distance from the end of the encoder's buffer, as every type and nested.
  const size = fc.oneof(
    fc.integer({ min: 65_000, max: 66_000 }),
    fc.integer({ min: 1_048_000, max: 1_049_000 }),
    fc.integer({ min: 130_000, max: 132_000 }),
  );
  const field = fc
    .string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
    .filter((text) => !text.includes('\0') && !/^\d+$/.test(text));
  fc.assert(
    fc.property(size, field, value, fc.array(value, { maxLength: 20 }), (padding, path, last, list) => {
      const doc = { padding: 'y'.repeat(padding), [path]: { inner: { last }, list }, after: [last, { [path]: list }], end: 1 };
      const bytes = serialize(doc);
      expect(Buffer.compare(encodeDocument(doc), bytes)).toBe(0);
      expect(Buffer.compare(encodeDocument(decodeDocument(bytes)), bytes)).toBe(0);
      expect(Math.sign(Buffer.compare(encodeValue([doc.padding, last]), encodeValue([doc.padding, list])))).toBe(
        compareValues(last, list),
      );
    }),
    { numRuns: 400 },
  );
});

test('a document that outgrows the encoder’s buffer while it is written keeps every type', () => {
  // Each buffer's end falls within other values as the padding grows.
  for (let padding = 0; padding < 400; padding++) {
    const items = Array.from({ length: 300 }, (_, n) => ({
      n,
      text: 'x'.repeat(200),
      list: [{ amount: 5n }, { name: `name ${n}` }],
    }));
    const doc = { padding: 'y'.repeat(padding), items };
    expect(Buffer.compare(encodeDocument(doc), serialize(doc))).toBe(0);
  }
});

describe('a DBPointer', () => {
  const bytesOf = (namespace: string, id: Buffer) => {
    const text = Buffer.from(`${namespace}\0`);
    const length = Buffer.alloc(4);
    length.writeInt32LE(text.length);
    return Buffer.concat([length, text, id]);
  };
  const id = Buffer.from('0102030405060708090a0b0c', 'hex');
  const inDocument = (...elements: Buffer[]) => {
    const bytes = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.alloc(1)]);
    bytes.writeInt32LE(bytes.length);
    return bytes;
  };
  const element = (type: number, name: string, value: Buffer) =>
    Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]);
  const pointer = element(12, 'p', bytesOf('db.names of ünits', id));

  test('comes back byte by byte, also inside others and beside a change', () => {
    const bytes = inDocument(
      pointer,
      element(3, 'd', inDocument(pointer)),
      element(4, 'l', inDocument(element(12, '0', bytesOf('', id)))),
    );
    expect(Buffer.compare(encodeDocument(decodeDocument(bytes)), bytes)).toBe(0);
    const { fields, pieces } = openDocument(bytes, new Set(['p']));
    expect(Buffer.compare(encodeOpened(bytes, pieces, fields), bytes)).toBe(0);
  });

  test('is refused where it is cut short', () => {
    const short = inDocument(element(12, 'p', bytesOf('db.c', id.subarray(1))));
    expect(() => decodeDocument(short)).toThrow(/invalid BSON/);
  });

  test('has its place in the order of values and its own type', () => {
    const namespace = fc.string({ unit: 'grapheme', maxLength: 3 });
    const pointers = fc
      .tuple(namespace, fc.uint8Array({ minLength: 12, maxLength: 12 }))
      .map(([name, bytes]) => new DbPointer(name, new ObjectId(bytes)));
    const any = fc.oneof(pointers, value);
    fc.assert(
      fc.property(pointers, any, (a, b) => {
        expect(Math.sign(Buffer.compare(encodeValue(a), encodeValue(b)))).toBe(compareValues(a, b));
        expect(compareValues(a, b) === 0).toBe(b instanceof DbPointer && b.namespace === a.namespace && b.id.equals(a.id));
      }),
      { numRuns: 2000 },
    );
    expect(compareValues(new DbPointer('x', new ObjectId(id)), new BSONRegExp('x', ''))).toBe(1);
    expect(compareValues(new DbPointer('x', new ObjectId(id)), new MaxKey())).toBe(-1);
  });

  test('is found by its type, with an index and without, as the bytes that were stored', () => {
    const server = startInProcess();
    const bytes = inDocument(element(16, '_id', Buffer.from([1, 0, 0, 0])), pointer);
    server.run({ insert: 'c', documents: [new RawDocument(bytes), { _id: 2, p: 1 }] });
    for (const indexes of [undefined, [{ key: { p: 1 }, name: 'p' }]]) {
      if (indexes) server.run({ createIndexes: 'c', indexes });
      for (const filter of [{ p: { $type: 'dbPointer' } }, { p: { $type: 12 } }, { p: decodeDocument(inDocument(pointer)).p }]) {
        const found = documentsOf(server.run({ find: 'c', filter }));
        expect(found.map((one) => Buffer.compare(one, bytes))).toEqual([0]);
      }
    }
    server.close();
  });
});
