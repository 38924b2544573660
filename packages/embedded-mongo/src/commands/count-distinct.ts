import { isDoc } from '../bson/types.ts';
import { pathParts } from '../query/field-path.ts';
import { type Found, prepareQuery } from '../query/find.ts';
import { isPosition } from '../query/path.ts';
import { encodeValue } from '../storage/index-key.ts';
import { type Command, collectionName, countField, docField, refuseCollation, stringField, variablesOf } from './context.ts';
import { checkFields, requireFields } from './fields.ts';

/** `count`: from the keys of an index where they suffice, else by walking what matches. */
export const count: Command = (body, context) => {
  checkFields(body, 'count', {
    ...{ query: 'object', limit: 'number', skip: 'count', hint: 'hint', collation: 'object', fields: 'object' },
  });
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
  // Version 7.0 has no `hint` here; it came with 7.1.
  checkFields(body, 'distinct', { key: 'string', query: 'object', collation: 'object' });
  requireFields(body, 'distinct', ['key']);
  refuseCollation(body);
  const collection = context.store.collection(context.db, collectionName(body, 'distinct'));
  const parts = pathParts(stringField(body, 'key'));
  const query = prepareQuery(collection, {
    filter: docField(body, 'query'),
    variables: variablesOf(body, context),
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
