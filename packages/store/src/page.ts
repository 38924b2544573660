import { RefusalError, refuseField } from '@gerbang/core';
import { decodeCursor, encodeCursor } from './cursor.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** A page of a list, newest first: how many items it has at the most, and the key that they come before. */
export type Page = { limit: number; before: string | undefined };

/**
 * Reads what a caller asks for; a limit of 0 is the default of 20, and above 100 is 100. Refusals: validation (cursor), also
 * where `isKey` does not know the key in it.
 */
export function readPage(
  { limit, cursor }: { limit: number; cursor: string },
  isKey: (key: string) => boolean = () => true,
): Page {
  const before = cursor === '' ? undefined : decodeCursor(cursor);
  if (cursor !== '' && (before === undefined || !isKey(before)))
    throw new RefusalError(refuseField('cursor', 'is not a cursor of this list'));
  return { limit: Math.min(Math.max(limit === 0 ? LIMIT_DEFAULT : limit, 1), LIMIT_MAX), before };
}

/**
 * The items of a page and the cursor of the next one, empty at the end of the list. `find` reads items newest first; it is asked
 * for one more than the page has, to know whether there are more. `keyOf` is the sort key of an item.
 */
export async function findPage<Item>(
  { limit, before }: Page,
  find: (query: Page) => Promise<Item[]>,
  keyOf: (item: Item) => string,
): Promise<{ items: Item[]; nextCursor: string }> {
  const found = await find({ limit: limit + 1, before });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last !== undefined ? encodeCursor(keyOf(last)) : '' };
}
