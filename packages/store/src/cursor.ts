/** A page's end as an opaque text: the sort key of its last item. */
export function encodeCursor(key: string): string {
  return Buffer.from(`1:${key}`).toString('base64url');
}

/** The sort key in a cursor; undefined when this is no cursor of ours. */
export function decodeCursor(cursor: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(cursor)) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  return text.startsWith('1:') && encodeCursor(text.slice(2)) === cursor ? text.slice(2) : undefined;
}
