import type { Difference } from './causes.ts';
import { type Draft, signatureOf } from './draft.ts';
import type { Variant } from './variants.ts';

/** So many combinations of two mistakes are tried. */
const PAIRS_MAX = 200_000;

/**
 * The mistakes, one or two, with which the draft comes to the signature; undefined when no combination does. A signature that
 * comes out proves them: no other text with the same HMAC can be found.
 */
export function findMistakes(draft: Draft, signature: Buffer, variants: readonly Variant[]): readonly Difference[] | undefined {
  const matches = (candidate: Draft) => candidate.digest.bytes === signature.length && signatureOf(candidate).equals(signature);
  for (const variant of variants) if (matches(variant.apply(draft))) return variant.differences;
  const together = variants.filter(({ alone }) => alone === undefined);
  let tried = 0;
  for (const [i, first] of together.entries()) {
    for (const second of together.slice(i + 1)) {
      if (first.slot === second.slot) continue;
      if (tried++ >= PAIRS_MAX) return undefined;
      if (matches(second.apply(first.apply(draft)))) return [...first.differences, ...second.differences];
    }
  }
  return undefined;
}
