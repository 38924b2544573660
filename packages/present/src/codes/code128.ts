import { darkRuns, toSvg } from './bitmap.ts';

/** ISO/IEC 15417: widths of bars and spaces, beginning with a bar, of the symbol characters 0 to 105 and of the stop. */
const WIDTHS = (
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 123221 ' +
  '223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 131123 131321 ' +
  '112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 213113 213311 213131 ' +
  '311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 ' +
  '122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 ' +
  '214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112'
).split(' ');
const STOP = 106;
/** Set B has a symbol for each printable character, set C one for each pair of digits. */
const START = { B: 104, C: 105 } as const;
const SWITCH = { B: 100, C: 99 } as const;
type CodeSet = keyof typeof START;
/** Fewer digits are no shorter as pairs, since the switch costs a symbol itself. */
const DIGITS_MIN_AT_THE_EDGE = 4;
const DIGITS_MIN_WITHIN = 6;

/** White on both sides, in modules. */
const QUIET_MODULES = 10;
const HEIGHT_MODULES = 60;

/**
 * A Code 128 barcode as SVG, with `label` for those who can't see it; the text itself stands beside it on the page. Throws for
 * text that is empty or not printable ASCII, which payment codes never are.
 */
export function code128Svg(text: string, label: string): string {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new Error('a barcode needs printable ASCII');
  const quiet = Array<boolean>(QUIET_MODULES).fill(false);
  const bars = withCheck(toSymbols(text)).flatMap((symbol) => [...(WIDTHS[symbol] ?? '')].flatMap(toModules));
  const row = [...quiet, ...bars, ...quiet];
  return toSvg(row.length, HEIGHT_MODULES, darkRuns(row, 0, HEIGHT_MODULES), label);
}

function toModules(width: string, i: number): boolean[] {
  return Array<boolean>(Number(width)).fill(i % 2 === 0);
}

/** Start, data and switches between the sets. */
function toSymbols(text: string): number[] {
  const symbols: number[] = [];
  let set: CodeSet | undefined;
  const use = (wanted: CodeSet) => {
    if (set !== wanted) symbols.push(set === undefined ? START[wanted] : SWITCH[wanted]);
    set = wanted;
  };
  for (let at = 0; at < text.length; ) {
    const digits = /^\d*/.exec(text.slice(at))?.[0].length ?? 0;
    const pairs = set === 'C' ? digits >= 2 : digits % 2 === 0 && digits >= digitsMin(text, at, digits);
    use(pairs ? 'C' : 'B');
    symbols.push(pairs ? Number(text.slice(at, at + 2)) : text.charCodeAt(at) - 0x20);
    at += pairs ? 2 : 1;
  }
  return symbols;
}

function digitsMin(text: string, at: number, digits: number): number {
  if (at === 0 && digits === text.length) return 2;
  return at === 0 || at + digits === text.length ? DIGITS_MIN_AT_THE_EDGE : DIGITS_MIN_WITHIN;
}

/** The check symbol (the sum of symbols by their places, modulo 103) and the stop. */
function withCheck(symbols: readonly number[]): number[] {
  const sum = symbols.reduce((total, symbol, i) => total + symbol * Math.max(i, 1), 0);
  return [...symbols, sum % 103, STOP];
}
