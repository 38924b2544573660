import { type Cause, type Difference, difference } from './causes.ts';
import { type Draft, signatureOf, textOf } from './draft.ts';
import { readSignature } from './received.ts';
import type { Variant } from './variants.ts';

/** The path may have colons, and a timestamp that is a date. */
const PARTS = /^([^:]*):(.*?):([^:]*):([^:]*):(\d{4}-\d\d-\d\d[T ].*|[^:]*)$/s;

/** By their place in the string to sign. */
const DIFFERS: readonly Cause[] = ['method_differs', 'path_differs', 'token_differs', 'body_differs', 'timestamp_differs'];

/**
 * How the string that was signed differs from the one that should have been, part by part, each by the mistake that leads to it
 * where one is known; and whether the signature received comes of it.
 */
export function compareStrings(
  ownString: string,
  signature: string,
  { draft, variants }: { draft: Draft; variants: () => readonly Variant[] },
): Difference[] {
  const own = ownString.replace(/\r?\n$/, '');
  const differences: Difference[] = own === textOf(draft) ? [] : partsOf(own, draft, variants());
  const isOfSecret = readSignature(signature).some(({ bytes }) =>
    signatureOf({ ...draft, parts: [own], separator: '' }).equals(bytes),
  );
  return isOfSecret ? differences : [...differences, difference('secret_other')];
}

function partsOf(own: string, draft: Draft, variants: readonly Variant[]): Difference[] {
  const parts = PARTS.exec(own)?.slice(1);
  if (parts === undefined) return [difference('string_unlike')];
  return parts.flatMap((part, index) => {
    if (part === draft.parts[index]) return [];
    const known = variants.find(({ apply }) => hasPart(apply(draft), draft, index, part));
    const cause = DIFFERS[index];
    return known?.differences ?? (cause === undefined ? [] : [difference(cause)]);
  });
}

/** Whether a changed draft has this part at this place. */
function hasPart(changed: Draft, draft: Draft, index: number, part: string): boolean {
  return changed.parts !== draft.parts && changed.parts[index] === part;
}
