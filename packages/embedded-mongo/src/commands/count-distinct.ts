import { isDoc } from '../bson/types.ts';
import { type Found, prepareQuery } from '../query/find.ts';
import { isPosition } from '../query/path.ts';
import { encodeValue } from '../storage/index-key.ts';
import {
  type Command,
  collectionName,
  countField,
  docField,
  onlyKnown,
  refuseCollation,
  stringField,
  variablesOf,
} from './context.ts';

/** `count`: from the keys of an index where they suffice, else by walking what matches. */
export const count: Command = (body, context) => {
  onlyKnown(body, 'count', ['query', 'limit', 'skip', 'hint', 'collation', 'fields']);
  refuseCollation(body);
  const collection = context.store.collection(context.db, collectionName(body, 'count'));
  const filter = docField(body, 'query');
  const hint = body.hint;
  const query = prepareQuery(collection, {
    filter,
    skip: countField(body, 'skip') ?? 0,
    limit: Math.abs(Number(body.limit ?? 0)),
    variables: variablesOf(body, context),
    ...(hint !== undefined && { hint }),
  });
  return { n: query.count(), ok: 1 };
};

/** `distinct`: the values at a path, arrays taken apart, each once, in BSON's order of first sight. */
export const distinct: Command = (body, context) => {
  onlyKnown(body, 'distinct', ['key', 'query', 'collation', 'hint']);
  refuseCollation(body);
  const collection = context.store.collection(context.db, collectionName(body, 'distinct'));
  const parts = stringField(body, 'key').split('.');
  const query = prepareQuery(collection, {
    filter: docField(body, 'query'),
    variables: variablesOf(body, context),
    ...(body.hint !== undefined && { hint: body.hint }),
  });
  return { values: [...distinctValues(query.run(), parts).values()], ok: 1 };
};

function distinctValues(found: Iterable<Found>, parts: readonly string[]): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const add = (value: unknown) => {
    const key = encodeValue(value).toString('latin1');
    if (!values.has(key)) values.set(key, value);
  };
  const visit = (value: unknown, from: number): void => {
    const part = parts[from];
    if (Array.isArray(value)) {
      if (part !== undefined && isPosition(part) && Number(part) < value.length) visit(value[Number(part)], from + 1);
      for (const item of value) {
        if (part === undefined) add(item);
        else if (isDoc(item)) visit(item, from);
      }
    } else if (part === undefined) {
      if (value !== undefined) add(value);
    } else if (isDoc(value) && Object.hasOwn(value, part)) visit(value[part], from + 1);
  };
  for (const one of found) visit(one.doc, 0);
  return values;
}
