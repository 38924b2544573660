import { RefusalError, refuseField } from '../result.ts';

/** One EMVCo data object: a two-digit tag and its value, which may itself be a sequence of data objects (a template). */
export type DataObject = { tag: string; value: string };

/** The two digits of a length reach no further. */
const VALUE_CHARACTERS_MAX = 99;

/**
 * How many characters a value has, as EMVCo counts lengths: characters of Unicode, neither bytes nor UTF-16 units.
 */
export function characters(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

/** What is wrong with a tag of a QRIS code, on its way up; `tag` is a path such as 59 or 62.07. Its field is `qr_data`. */
export function problem(tag: string, reason: string): RefusalError {
  return new RefusalError(refuseField('qr_data', `tag ${tag} ${reason}`));
}

/** Tag, length, value. Throws a refusal where the value is empty or too long to have a length. */
export function writeObject({ tag, value }: DataObject, within = ''): string {
  if (!/^\d{2}$/.test(tag)) throw problem(`${within}${tag}`, 'is not two digits');
  const length = characters(value);
  if (length === 0) throw problem(`${within}${tag}`, 'is empty');
  if (length > VALUE_CHARACTERS_MAX) throw problem(`${within}${tag}`, `is longer than ${VALUE_CHARACTERS_MAX} characters`);
  return `${tag}${String(length).padStart(2, '0')}${value}`;
}

/** The objects one after the other, tags ascending. */
export function writeObjects(objects: readonly DataObject[], within = ''): string {
  return objects
    .toSorted((a, b) => (a.tag < b.tag ? -1 : 1))
    .map((object) => writeObject(object, within))
    .join('');
}

/**
 * The objects of a payload, or of a template, in their order. `within` is the path that tags are named with, for instance "62.".
 * Throws a refusal where the text ends too early, a length is none or zero, or a tag comes twice.
 */
export function readObjects(text: string, within = ''): DataObject[] {
  const units = [...text];
  const objects: DataObject[] = [];
  const seen = new Set<string>();
  for (let at = 0; at < units.length; ) {
    const tag = units.slice(at, at + 2).join('');
    const path = `${within}${tag}`;
    if (!/^\d{1,2}$/.test(tag)) throw problem(path, 'is not two digits');
    const digits = units.slice(at + 2, at + 4).join('');
    if (tag.length < 2 || /^\d?$/.test(digits)) throw problem(path, 'is truncated');
    if (!/^\d{2}$/.test(digits)) throw problem(path, 'has a length that is not two digits');
    const length = Number(digits);
    if (length === 0) throw problem(path, 'is empty');
    if (at + 4 + length > units.length) throw problem(path, 'is truncated');
    if (seen.has(tag)) throw problem(path, 'is there twice');
    seen.add(tag);
    objects.push({ tag, value: units.slice(at + 4, at + 4 + length).join('') });
    at += 4 + length;
  }
  return objects;
}
