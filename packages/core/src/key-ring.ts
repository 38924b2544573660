/** Keys by id: the first is used from now on, all of them for what is there, so that keys rotate with overlap (architecture §8). */
export type KeyRing = { currentKid: string; keys: ReadonlyMap<string, Uint8Array> };

/** Reads `kid:base64[,kid:base64…]`; undefined unless every key has 32 bytes and every kid is used once. */
export function parseKeyRing(text: string): KeyRing | undefined {
  const keys = new Map<string, Uint8Array>();
  let currentKid: string | undefined;
  for (const part of text.split(',')) {
    const [kid, base64, ...rest] = part.trim().split(':');
    if (!kid || !base64 || rest.length > 0 || keys.has(kid)) return undefined;
    const key = Buffer.from(base64, 'base64');
    if (key.length !== 32) return undefined;
    keys.set(kid, key);
    currentKid ??= kid;
  }
  return currentKid === undefined ? undefined : { currentKid, keys };
}
