/** Longer names are rare, and read each time. */
const knownBytesMax = 24;
/** A power of two. */
const slots = 2_048;
const known: (string | undefined)[] = new Array(slots).fill(undefined);

/**
 * The name in these bytes of a buffer. Documents repeat few names: one that has been met is compared with the bytes and given
 * again, which makes no string and, where it becomes a property, looks none up.
 */
export function fieldName(buffer: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > knownBytesMax) return buffer.toString('utf8', start, end);
  let hash = length;
  for (let at = start; at < end; at++) {
    const code = buffer[at] ?? 0;
    // A byte above ASCII needs the real decoder.
    if (code > 127) return buffer.toString('utf8', start, end);
    hash = (hash * 31 + code) | 0;
  }
  const slot = (hash ^ (hash >>> 11)) & (slots - 1);
  const candidate = known[slot];
  if (candidate !== undefined && isWrittenAs(candidate, buffer, start, length)) return candidate;
  const name = buffer.toString('latin1', start, end);
  known[slot] = name;
  return name;
}

function isWrittenAs(name: string, buffer: Buffer, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let index = 0; index < length; index++) if (name.charCodeAt(index) !== buffer[start + index]) return false;
  return true;
}
