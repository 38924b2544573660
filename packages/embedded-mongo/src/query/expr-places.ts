import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';

const notAllowed = (message: string) => failure('QueryFeatureNotAllowed', message);

/** Refuses `$expr` at any place of a filter; those of upserts, of array elements and of partial indexes may not have it. */
export function refuseExpr(filter: Doc, refusal: string | (() => Error)): void {
  for (const [name, operand] of Object.entries(filter)) {
    if (name === '$expr') throw typeof refusal === 'string' ? notAllowed(refusal) : refusal();
    if ((name === '$and' || name === '$or' || name === '$nor') && Array.isArray(operand))
      for (const part of operand) if (isDoc(part)) refuseExpr(part, refusal);
  }
}
