import { type Doc, isDoc, typeNameOf } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { refuseExpr } from '../query/expr-places.ts';
import { compileItem } from '../query/match.ts';
import { identifierOf } from './update-path.ts';

export type ArrayFilters = ReadonlyMap<string, (item: unknown) => boolean>;

/** Compiles `arrayFilters`; each is about one name, which a path of the update must use. */
export function compileArrayFilters(given: readonly unknown[], paths: ReadonlyArray<readonly string[]>): ArrayFilters {
  const filters = new Map<string, (item: unknown) => boolean>();
  for (const [at, one] of given.entries()) {
    if (!isDoc(one))
      throw failure(
        'TypeMismatch',
        `BSON field 'update.updates.arrayFilters.${at}' is the wrong type '${typeNameOf(one)}', expected type 'object'`,
      );
    refuseExpr(one, 'Error parsing array filter :: caused by :: $expr is not allowed in this context');
    const test = compileItem({ $and: [one] }, {}, 'arrayFilters');
    const name = nameIn(one);
    if (name === undefined)
      throw failure(
        'FailedToParse',
        'Error parsing array filter :: caused by :: Cannot use an expression without a top-level field name in arrayFilters',
      );
    if (filters.has(name))
      throw failure('FailedToParse', `Found multiple array filters with the same top-level field name ${name}`);
    filters.set(name, (item) => test({ [name]: item }));
  }
  checkUse(filters, paths);
  return filters;
}

function checkUse(filters: ArrayFilters, paths: ReadonlyArray<readonly string[]>): void {
  const used = new Set<string>();
  for (const parts of paths) {
    for (const part of parts) {
      const name = identifierOf(part);
      if (!name) continue;
      if (!filters.has(name))
        throw failure('BadValue', `No array filter found for identifier '${name}' in path '${parts.join('.')}'`);
      used.add(name);
    }
  }
  for (const name of filters.keys()) {
    if (!used.has(name)) throw failure('FailedToParse', `The array filter for identifier '${name}' was not used in the update`);
  }
}

const nameForm = /^[a-z][a-zA-Z0-9]*$/;

/** The one name that all conditions of an array filter begin with. */
function nameIn(filter: Doc): string | undefined {
  let found: string | undefined;
  for (const [name, operand] of Object.entries(filter)) {
    const parts = name.startsWith('$') ? namesBelow(operand) : [name.split('.')[0] ?? ''];
    for (const part of parts) {
      if (!nameForm.test(part))
        throw failure(
          'BadValue',
          `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${part}'`,
        );
      if (found !== undefined && found !== part)
        throw failure(
          'FailedToParse',
          `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${found}' and '${part}'`,
        );
      found = part;
    }
  }
  return found;
}

function namesBelow(operand: unknown): string[] {
  if (!Array.isArray(operand)) return [];
  return operand.filter(isDoc).flatMap((part) => nameIn(part) ?? []);
}
