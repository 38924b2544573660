import { decodeDocument } from '../../src/bson/decode.ts';
import { type Doc, isDoc, RawDocument } from '../../src/bson/types.ts';
import { compileSort } from '../../src/query/sort.ts';
import { encodeValue } from '../../src/storage/index-key.ts';
import type { Random } from './random.ts';
import { documentsOf, startInProcess } from './server.ts';
import { document, filterOf, type Hot, indexesOf, projectionOf, sortOf, updateOf } from './shapes.ts';

/** Two collections of the same documents, of which one has indexes. */
const bare = 'bare';
const indexed = 'indexed';

export type Compared = {
  /** Runs one random operation on both collections; throws where their answers differ. */
  operation(): void;
  /** Compares what is stored, and each index with it. */
  compareAll(): void;
  close(): void;
};

export function startComparing(random: Random, documents: number): Compared {
  const server = startInProcess();
  const both = (make: (collection: string) => Doc): [Doc, Doc] => [server.run(make(bare)), server.run(make(indexed))];
  let lastId = 0;
  const newDocuments = (count: number) => Array.from({ length: count }, () => document(random, ++lastId));
  const insert = (documents: readonly Doc[]) =>
    same('insert', documents, ...both((collection) => ({ insert: collection, documents })));
  insert(newDocuments(documents));
  const indexes = indexesOf(random).filter((spec) => server.run({ createIndexes: indexed, indexes: [spec] }).ok === 1);
  const hot: Hot = {
    keys: indexes.map(({ key }) => key).filter(isDoc),
    filters: indexes.map(({ partialFilterExpression }) => partialFilterExpression).filter(isDoc),
  };

  const allOf = (collection: string, filter: Doc) => documentsOf(server.run({ find: collection, filter, batchSize: 10_000 }));
  const find = () => {
    const command = {
      filter: filterOf(random, hot),
      ...(random.chance(0.6) && { sort: sortOf(random, hot) }),
      ...window(random),
    };
    const total = command.sort !== undefined && random.chance(0.4);
    const sort = total ? { ...command.sort, _id: 1 } : command.sort;
    const free = total || (command.limit === undefined && command.skip === undefined && command.sort === undefined);
    const projection = free && random.chance(0.3) ? projectionOf(random) : undefined;
    const asked = { ...command, ...(sort && { sort }), ...(projection && { projection }) };
    const [a, b] = both((collection) => ({ find: collection, ...asked, batchSize: 10_000 }));
    if (a.ok !== 1 || b.ok !== 1 || total) return same('find', asked, a, b);
    compareFound(asked, documentsOf(a), documentsOf(b), allOf(bare, command.filter), projection !== undefined);
  };
  const count = () => {
    const command = { query: filterOf(random, hot), ...window(random) };
    same('count', command, ...both((collection) => ({ count: collection, ...command })));
  };
  const distinct = () => {
    const command = { query: filterOf(random, hot), key: random.pick(['a', 'a.k', 'b', 'c.x', 'c.y', 'd']) };
    const [a, b] = both((collection) => ({ distinct: collection, ...command }));
    // Of equal numbers the first one found stands for all, so their types may differ.
    const values = (reply: Doc) => (Array.isArray(reply.values) ? reply.values : []).map((one) => hex(encodeValue(one))).sort();
    same('distinct', command, a.ok === 1 ? values(a) : a, b.ok === 1 ? values(b) : b);
  };
  const aggregate = () => {
    const pipeline = [
      { $match: filterOf(random, hot) },
      { $sort: { ...sortOf(random, hot), _id: 1 } },
      { $project: { a: 1, b: 1 } },
    ];
    same('aggregate', pipeline, ...both((collection) => ({ aggregate: collection, pipeline, cursor: { batchSize: 10_000 } })));
  };
  const update = () => {
    const multi = random.chance(0.5);
    const filter = filterOf(random, hot);
    const q = multi ? filter : { _id: 1 + random.below(lastId), $and: [filter] };
    const updates = [{ q, u: updateOf(random), multi }];
    same('update', updates, ...both((collection) => ({ update: collection, updates })));
  };
  const remove = () => {
    const q = { $and: [filterOf(random, hot), { _id: { $in: random.many(1, 3, () => 1 + random.below(lastId)) } }] };
    const [a, b] = both((collection) => ({ delete: collection, deletes: [{ q, limit: 0 }] }));
    same('delete', q, a, b);
    if (Number(a.n) > 0) insert(newDocuments(Number(a.n)));
  };
  const findAndModify = () => {
    const command = {
      query: filterOf(random, hot),
      sort: { ...sortOf(random, hot), _id: 1 },
      update: updateOf(random),
      new: random.chance(0.5),
    };
    same('findAndModify', command, ...both((collection) => ({ findAndModify: collection, ...command })));
  };
  const kinds = [find, find, find, find, count, count, distinct, aggregate, update, remove, findAndModify] as const;

  return {
    operation: () => random.pick(kinds)(),
    compareAll() {
      const [a, b] = both((collection) => ({ find: collection, sort: { _id: 1 }, batchSize: 10_000 }));
      same('what is stored', {}, a, b);
      const stored = documentsOf(a).length;
      for (const { name, sparse, partialFilterExpression } of indexes) {
        const filter = (partialFilterExpression ?? {}) as Doc;
        const held = allOf(indexed, filter).length;
        const walked = documentsOf(server.run({ find: indexed, filter, hint: name, batchSize: 10_000 })).length;
        if (sparse ? walked > stored : walked !== held)
          throw new Error(`index ${String(name)} has ${walked} of ${held} documents`);
      }
      server.store.commits.flush();
    },
    close: server.close,
  };
}

const window = (random: Random): { skip?: number; limit?: number } => ({
  ...(random.chance(0.15) && { skip: random.below(5) }),
  ...(random.chance(0.3) && { limit: 1 + random.below(8) }),
});

/** Without a sort any order is right, and among equals any: what a window takes of them may be any that match. */
function compareFound(
  asked: { filter: Doc; sort?: Doc },
  a: readonly Uint8Array[],
  b: readonly Uint8Array[],
  matching: readonly Uint8Array[],
  projected: boolean,
): void {
  if (a.length !== b.length) throw difference('find', asked, a.length, b.length);
  if (projected || a.length === matching.length) same('find', asked, sortedTexts(a), sortedTexts(b));
  if (projected) return;
  const allowed = new Set(matching.map(hex));
  if (new Set(b.map(hex)).size !== b.length || !b.every((one) => allowed.has(hex(one))))
    throw difference('find', asked, sortedTexts(matching), sortedTexts(b));
  if (!asked.sort) return;
  const order = compileSort(asked.sort);
  const [inA, inB] = [a.map((one) => decodeDocument(one)), b.map((one) => decodeDocument(one))];
  for (const [at, doc] of inB.entries()) {
    const other = inA[at];
    if (other && order(other, doc) !== 0) throw difference('order', asked, textOf(inA), textOf(inB));
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const sortedTexts = (docs: readonly Uint8Array[]) => docs.map((bytes) => textOf(decodeDocument(bytes))).sort();

function same(operation: string, asked: unknown, a: unknown, b: unknown): void {
  const [left, right] = [textOf(a), textOf(b)];
  if (left !== right) throw difference(operation, asked, left, right);
}

const difference = (operation: string, asked: unknown, a: unknown, b: unknown) =>
  new Error(`${operation} ${textOf(asked)}\n without indexes: ${String(a)}\n with indexes:    ${String(b)}`);

/** A value with its types, as text; names of collections are left out. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => {
    if (typeof one === 'bigint') return `${one}n`;
    if (typeof one === 'symbol' || (typeof one === 'number' && !Number.isFinite(one))) return String(one);
    return one instanceof RawDocument ? decodeDocument(one.bytes) : one;
  })
    .replaceAll(`test.${indexed}`, 'test')
    .replaceAll(`test.${bare}`, 'test');
}
