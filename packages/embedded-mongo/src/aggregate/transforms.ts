import { type Doc, isDoc, typeNameOf } from '../bson/types.ts';
import { location } from '../errors.ts';
import { compileProjection, setNested } from '../query/project.ts';
import { compileExpression } from './expression.ts';
import type { Expression, Variables } from './scope.ts';

/** Compiles a stage that makes one document of each document. */
export function compileTransform(name: string, operand: unknown, variables: Variables): (doc: Doc) => Doc {
  switch (name) {
    case '$set':
    case '$addFields':
      return addFields(name, operand, variables);
    case '$unset':
      return unset(operand, variables);
    case '$project':
      if (!isDoc(operand) || Object.keys(operand).length === 0)
        throw location(51272, '$project specification must have at least one field');
      return compileProjection(operand, { variables });
    case '$replaceRoot':
      return replaceRoot(isDoc(operand) ? operand.newRoot : undefined, variables);
    default:
      return replaceRoot(operand, variables);
  }
}

function addFields(name: string, operand: unknown, variables: Variables): (doc: Doc) => Doc {
  if (!isDoc(operand)) throw location(40272, `${name} specification stage must be an object`);
  const fields: Array<{ parts: string[]; value: Expression }> = [];
  const visit = (prefix: string, doc: Doc): void => {
    for (const [field, value] of Object.entries(doc)) {
      if (field.startsWith('$'))
        throw location(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
      const path = prefix + field;
      const [first] = isDoc(value) ? Object.keys(value) : [];
      // A nested document of plain fields names paths; it is merged and doesn't replace.
      if (isDoc(value) && first !== undefined && !first.startsWith('$')) visit(`${path}.`, value);
      else fields.push({ parts: path.split('.'), value: compileExpression(value) });
    }
  };
  visit('', operand);
  return (doc) => {
    const scope = { root: doc, current: doc, variables };
    const result = { ...doc };
    for (const { parts, value } of fields) setNested(result, parts, value(scope));
    return result;
  };
}

function unset(operand: unknown, variables: Variables): (doc: Doc) => Doc {
  const paths = Array.isArray(operand) ? operand : [operand];
  if (paths.length === 0 || !paths.every((path) => typeof path === 'string')) {
    throw location(31002, '$unset specification must be a string or an array');
  }
  return compileProjection(Object.fromEntries(paths.map((path) => [path, false])), { variables });
}

function replaceRoot(operand: unknown, variables: Variables): (doc: Doc) => Doc {
  const expression = compileExpression(operand);
  return (doc) => {
    const root = expression({ root: doc, current: doc, variables });
    if (!isDoc(root))
      throw location(
        40228,
        `'newRoot' expression must evaluate to an object, but resulting value was of type: ${typeNameOf(root)}`,
      );
    return root;
  };
}
