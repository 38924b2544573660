import type { Document } from 'mongodb';

/** What the server refuses: a title, its code, a command on the collection `c`, and what `c` holds before. */
export type Restriction = readonly [title: string, code: number, command: Document, given?: Given];
export type Given = { docs?: readonly Document[]; indexes?: readonly Document[] };

export const find = (filter: Document, options: Document = {}): Document => ({ find: 'c', filter, ...options });
export const update = (q: Document, u: Document | readonly Document[], options: Document = {}): Document => ({
  update: 'c',
  updates: [{ q, u, ...options }],
});
export const upsert = (q: Document, u: Document | readonly Document[], options: Document = {}): Document =>
  update(q, u, { upsert: true, ...options });
export const findAndModify = (options: Document): Document => ({ findAndModify: 'c', ...options });
export const aggregate = (...pipeline: readonly Document[]): Document => ({ aggregate: 'c', pipeline, cursor: {} });
export const compute = (expression: unknown): Document => aggregate({ $project: { x: expression } });
export const createIndex = (key: Document, options: Document = {}): Document => ({
  createIndexes: 'c',
  indexes: [{ key, name: 'named', ...options }],
});
export const docs = (...given: readonly Document[]): Given => ({ docs: given });
