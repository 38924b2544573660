import { BSONRegExp } from 'bson';
import { failure, location } from '../errors.ts';

/** Compiles a regular expression into a test on strings, on arrays holding one, and on the same expression stored. */
export function compilePattern(pattern: string, options: string): (value: unknown) => boolean {
  const one = compilePatternOfOne(pattern, options);
  return (value) => one(value) || (Array.isArray(value) && value.some(one));
}

/** As `compilePattern`, for one value: an array does not satisfy it. */
export function compilePatternOfOne(pattern: string, options: string): (value: unknown) => boolean {
  const regex = toRegExp(pattern, options);
  return (value) =>
    typeof value === 'string'
      ? regex.test(value)
      : value instanceof BSONRegExp && value.pattern === pattern && value.options === options;
}

export function toRegExp(pattern: string, options: string): RegExp {
  if (pattern.includes('\0')) throw failure('BadValue', 'Regular expression cannot contain an embedded null byte');
  let flags = 'u';
  let source = pattern;
  for (const option of options) {
    if (option === 'i' || option === 'm' || option === 's') flags += option;
    else if (option === 'x') source = withoutComments(source);
    else if (option !== 'u') throw location(51108, `invalid flag in regex options: ${option}`);
  }
  const inline = /^\(\?([ims]+)\)/.exec(source);
  if (inline?.[1]) {
    source = source.slice(inline[0].length);
    for (const option of inline[1]) if (!flags.includes(option)) flags += option;
  }
  try {
    return new RegExp(source, flags);
  } catch {
    // PCRE allows escapes that the Unicode mode of JavaScript refuses.
    try {
      return new RegExp(source, flags.replace('u', ''));
    } catch (error) {
      throw location(51091, `Regular expression is invalid: ${error instanceof Error ? error.message : 'malformed'}`);
    }
  }
}

/** Extended syntax: white space and comments outside classes mean nothing. */
function withoutComments(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]])*\]|\s+|#[^\n]*/g, (part) => (/^[\s#]/.test(part) ? '' : part));
}
