/** A value as JSON.parse gives it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Normalized JSON of the request signature (contract §3): object keys sorted by UTF-16 code unit at every depth, arrays in their
 * order, no white space, numbers by ECMAScript's rules. The caller bounds the depth of what it passes (recursion follows it).
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) {
    let text = '[';
    for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + canonicalJson(value[i] ?? null);
    return `${text}]`;
  }
  if (value !== null && typeof value === 'object') {
    let text = '{';
    for (const key of Object.keys(value).sort()) {
      text += `${text === '{' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`;
    }
    return `${text}}`;
  }
  return JSON.stringify(value);
}
