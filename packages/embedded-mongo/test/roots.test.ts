import { describe, expect, test } from 'vitest';
import { keptRootsOf, pipelineRootsOf, rootsOf } from '../src/query/roots.ts';

const listed = (roots: ReadonlySet<string> | undefined) => roots && [...roots].sort();

describe('the fields that a filter looks at', () => {
  test.each([
    [{}, []],
    [{ a: 1, 'b.c': { $gt: 1 } }, ['a', 'b']],
    [{ $or: [{ a: 1 }, { $and: [{ 'b.0': 2 }, { $nor: [{ c: 3 }] }] }] }, ['a', 'b', 'c']],
    [{ $expr: { $lte: [{ $ifNull: ['$lease.until', 0] }, '$$NOW'] } }, ['lease']],
    [{ a: 1, $expr: { $eq: ['$$ROOT', 1] } }, undefined],
    [{ $expr: { $eq: ['$$other', '$a'] } }, undefined],
    [{ $expr: { $eq: [{ $getField: 'a' }, 1] } }, undefined],
    [{ $or: [{ a: 1 }, { $jsonSchema: {} }] }, undefined],
    [{ $comment: 'why' }, undefined],
  ])('%j', (filter, roots) => expect(listed(rootsOf(filter))).toEqual(roots));
});

describe('the fields that a projection gives', () => {
  test.each([
    [{ a: 1, 'b.c': true }, ['_id', 'a', 'b']],
    [{ _id: 1 }, ['_id']],
    [{ a: 0 }, undefined],
    [{ a: 1, _id: 0 }, undefined],
    [{ a: '$b' }, undefined],
    [{ 'a.$': 1 }, undefined],
    [{ a: { $slice: 1 } }, undefined],
  ])('%j', (projection, roots) => expect(listed(keptRootsOf(projection))).toEqual(roots));
});

describe('the fields that an update by a pipeline reads or sets', () => {
  test.each([
    [[{ $set: { 'a.b': 1, c: '$d.e' } }], ['_id', 'a', 'c', 'd']],
    [
      [{ $addFields: { a: { $add: ['$b', 1] } } }, { $set: { at: '$$NOW' } }],
      ['_id', 'a', 'at', 'b'],
    ],
    [[{ $set: { a: '$$ROOT' } }], undefined],
    [[{ $set: { a: '$$REMOVE' } }], undefined],
    [[{ $set: { a: 1 } }, { $unset: 'b' }], undefined],
    [[{ $replaceWith: { a: 1 } }], undefined],
    [['a'], undefined],
  ])('%j', (stages, roots) => expect(listed(pipelineRootsOf(stages))).toEqual(roots));
});
