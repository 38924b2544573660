import { type Doc, isDoc, typeNameOf } from '../bson/types.ts';
import { location } from '../errors.ts';
import { pathParts } from '../query/field-path.ts';
import { compileProjection } from '../query/project.ts';
import { setNested } from '../query/project-apply.ts';
import { compileExpression } from './expression.ts';
import type { Expression, Variables } from './scope.ts';
import { checkVariables } from './variables.ts';

/** Compiles a stage that makes one document of each document. */
export function compileTransform(name: string, operand: unknown, variables: Variables): (doc: Doc) => Doc {
  switch (name) {
    case '$set':
    case '$addFields':
      return addFields(name, operand, variables);
    case '$unset':
      return unset(operand, variables);
    case '$project':
      if (!isDoc(operand)) throw location(15969, '$project specification must be an object');
      if (Object.keys(operand).length === 0)
        throw location(51272, 'Invalid $project :: caused by :: projection specification must have at least one field');
      return compileProjection(operand, { variables });
    case '$replaceRoot':
      return replaceRoot(newRootOf(operand), variables);
    default:
      return replaceRoot(operand, variables);
  }
}

function newRootOf(operand: unknown): unknown {
  if (!isDoc(operand))
    throw location(40229, `expected an object as specification for $replaceRoot stage, got ${typeNameOf(operand)}`);
  const { newRoot, ...others } = operand;
  const [other] = Object.keys(others);
  if (other !== undefined) throw location(40415, `BSON field '$replaceRoot.${other}' is an unknown field.`);
  if (newRoot === undefined) throw location(40414, "BSON field '$replaceRoot.newRoot' is missing but a required field");
  return newRoot;
}

function addFields(name: string, operand: unknown, variables: Variables): (doc: Doc) => Doc {
  if (!isDoc(operand)) throw location(40272, `${name} specification stage must be an object, got ${typeNameOf(operand)}`);
  if (Object.keys(operand).length === 0)
    throw location(40177, `Invalid ${name} :: caused by :: specification must have at least one field`);
  const fields: Array<{ parts: string[]; value: Expression }> = [];
  const paths = new Set<string>();
  const visit = (prefix: string, doc: Doc): void => {
    for (const [field, value] of Object.entries(doc)) {
      const parts = pathParts(field);
      if (prefix !== '' && parts.length > 1)
        throw location(40181, `cannot use dotted field name '${field}' in a sub object: ${prefix}${field}`);
      const path = prefix + field;
      const [first] = isDoc(value) ? Object.keys(value) : [];
      // A nested document of plain fields names paths; it is merged and doesn't replace.
      if (isDoc(value) && first !== undefined && !first.startsWith('$')) visit(`${path}.`, value);
      else {
        if (isDoc(value) && first === undefined && prefix !== '')
          throw location(40180, `an empty object is not a valid value. Found empty object at path ${path}`);
        checkVariables(value, variables);
        paths.add(path);
        fields.push({ parts: path.split('.'), value: compileExpression(value) });
      }
    }
  };
  visit('', operand);
  refuseOverlap(paths, fields.length);
  return (doc) => {
    const scope = { root: doc, current: doc, variables };
    const result = { ...doc };
    for (const { parts, value } of fields) setNested(result, parts, value(scope));
    return result;
  };
}

/** Refuses paths of which one is, or begins with, another. */
function refuseOverlap(paths: ReadonlySet<string>, given: number): void {
  const twice = paths.size < given;
  for (const path of paths) {
    for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      if (!twice && !paths.has(path.slice(0, dot))) continue;
      throw location(
        40176,
        `specification contains two conflicting paths. Cannot specify both '${path}' and '${path.slice(0, dot)}'`,
      );
    }
  }
}

function unset(operand: unknown, variables: Variables): (doc: Doc) => Doc {
  if (typeof operand !== 'string' && !Array.isArray(operand))
    throw location(31002, '$unset specification must be a string or an array');
  const paths = Array.isArray(operand) ? operand : [operand];
  if (paths.length === 0) throw location(31119, '$unset specification must be a string or an array with at least one field');
  if (!paths.every((path) => typeof path === 'string'))
    throw location(31120, '$unset specification must be a string or an array containing only string values');
  if (new Set(paths).size < paths.length) throw location(31250, `Path collision at ${paths.join(', ')}`);
  return compileProjection(Object.fromEntries(paths.map((path) => [path, false])), { variables });
}

function replaceRoot(operand: unknown, variables: Variables): (doc: Doc) => Doc {
  const expression = compileExpression(operand);
  checkVariables(operand, variables);
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
