import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure } from '../errors.ts';

const bad = (message: string) => failure('BadValue', message);

/**
 * Refuses a sort by `$natural` that goes with other fields or with a hint that says otherwise. The fields are checked where the
 * sort is compiled.
 */
export function checkSortSpec(sort: Doc, hint: unknown): void {
  if (!('$natural' in sort)) return;
  const direction = isNumeric(sort.$natural) ? Number(sort.$natural) : 0;
  if (direction !== 1 && direction !== -1) throw bad('$natural sort cannot be set to a value other than -1 or 1.');
  if (Object.keys(sort).length > 1) throw bad("Cannot include '$natural' in compound sort");
  if (typeof hint === 'string') throw bad('index hint not allowed with $natural sort order');
  if (!isDoc(hint) || Object.keys(hint).length === 0) return;
  if (!('$natural' in hint)) throw bad('index hint not allowed with $natural sort order');
  if (Number(hint.$natural) !== direction) throw bad('$natural hint must be in the same direction as $natural sort order');
}
