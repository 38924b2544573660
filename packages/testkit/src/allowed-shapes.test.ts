import { describe, expect, test } from 'vitest';
import { ALLOWED_SHAPES, refuseNewShapes } from './allowed-shapes.ts';
import { shapesOf } from './command-shape.ts';

const services = Object.keys(ALLOWED_SHAPES.service);

describe('what our services send, on a cluster sharded by hashed _id', () => {
  test.each(services.filter((shape) => /^(update one|delete one|findAndModify) /.test(shape)))('%s names its shard', (shape) => {
    expect(shape).toMatch(/_id =/);
  });

  test.each(services.filter((shape) => shape.includes('upsert')))('%s has no $expr in its filter', (shape) => {
    expect(shape.split(' <- ')[0]).not.toContain('$expr');
  });

  test.each(services)('%s is no unique index, writes no _id and is not sorted', (shape) => {
    expect(shape).not.toMatch(/unique|\(_id|positional|\bsort\b/);
  });

  test.each(services.filter((shape) => shape.startsWith('aggregate')))('%s only counts', (shape) => {
    expect(shape.match(/[[,] \$?\w+|\[\$\w+/g)?.join(' ')).not.toMatch(/\$(lookup|graphLookup|out|merge|unionWith|facet)/);
  });
});

describe('shapes', () => {
  const update = (q: object, u: object, rest: object = {}) => shapesOf('update', { updates: [{ q, u, ...rest }] });

  test('values, names and their order do not matter', () => {
    const expected = ['update one {* $lte $type, * =, _id =} <- $inc $set'];
    expect(update({ _id: 1, a: 2, b: { $lte: 3, $type: 'date' } }, { $set: { c: 1 }, $inc: { d: 1 } })).toEqual(expected);
    expect(update({ x: { $type: 'date', $lte: 0 }, y: 5, _id: 9 }, { $inc: { e: 7 }, $set: { f: 1, g: 2 } })).toEqual(expected);
  });

  test.each([
    ['an upsert', update({ _id: 1 }, { $set: { a: 1 } }, { upsert: true }), 'update one {_id =} <- $set (upsert)'],
    ['many', update({}, { $set: { a: 1 } }, { multi: true }), 'update many {} <- $set'],
    ['another _id', update({ _id: 1 }, { $set: { _id: 2 } }), 'update one {_id =} <- $set(_id)'],
    ['a replacement', update({ _id: 1 }, { a: 1 }), 'update one {_id =} <- replacement'],
    ['a pipeline', update({ _id: 1 }, [{ $set: { at: '$$NOW' } }]), 'update one {_id =} <- [$set $$NOW]'],
    [
      'a positional path',
      update({ _id: 1 }, { $set: { 'a.$[x]': 1 } }, { arrayFilters: [{ x: 1 }] }),
      'update one {_id =} <- $set(positional) (arrayFilters)',
    ],
    ['an expression', update({ $expr: { $lt: ['$a', '$$NOW'] } }, { $set: { a: 1 } }), 'update one {$expr $$NOW $lt} <- $set'],
    [
      'alternatives',
      update({ $or: [{ a: 1 }, { b: { $gt: 1 } }] }, { $set: { a: 1 } }),
      'update one {$or [{* $gt}, {* =}]} <- $set',
    ],
  ])('%s shows', (_name, shapes, expected) => expect(shapes).toEqual([expected]));

  test.each([
    ['findAndModify', { query: { a: 1 }, sort: { b: 1 }, remove: true }, 'findAndModify {* =} <- remove (sort)'],
    ['delete', { deletes: [{ q: { a: 1 }, limit: 0 }] }, 'delete many {* =}'],
    [
      'aggregate',
      { pipeline: [{ $match: { a: 1 } }, { $group: { _id: 1, n: { $sum: 1 } } }] },
      'aggregate [$match {* =}, $group $sum]',
    ],
    [
      'createIndexes',
      { indexes: [{ key: { a: 1, _id: -1 }, name: 'x', unique: true }] },
      'createIndexes {* 1, _id -1} unique true',
    ],
    [
      'createIndexes',
      { indexes: [{ key: { a: 1 }, name: 'x', partialFilterExpression: { a: { $type: 'date' } } }] },
      'createIndexes {* 1} partial {* $type}',
    ],
  ])('%s: %j', (name, body, expected) => expect(shapesOf(name, body)).toEqual([expected]));
});

describe('a command of tests', () => {
  const taken = { updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] };
  const fresh = { updates: [{ q: { $expr: { $eq: ['$a', 1] }, _id: 1 }, u: { $set: { a: 1 } }, upsert: true }] };
  const pick = { query: { due: { $lte: 1 } }, update: { $set: { a: 1 }, $inc: { b: 1 } }, sort: { due: 1 } };

  test('passes where its shape is on the list', () => {
    expect(refuseNewShapes({ db: 'test_ledger', name: 'update', body: taken })).toBeUndefined();
    expect(refuseNewShapes({ db: 'test_ledger', name: 'ping', body: {} })).toBeUndefined();
  });

  test('is refused where it is not, and told which it is', () => {
    expect(refuseNewShapes({ db: 'test_ledger', name: 'update', body: fresh })).toContain(
      'update one {$expr $eq, _id =} <- $set (upsert)',
    );
  });

  test('of the simulator only is refused to the services', () => {
    expect(refuseNewShapes({ db: 'test_simulator', name: 'findAndModify', body: pick })).toBeUndefined();
    expect(refuseNewShapes({ db: 'test_money_in', name: 'findAndModify', body: pick })).toContain('findAndModify');
  });
});
