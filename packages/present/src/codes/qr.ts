import { encodeQR } from 'qr';
import { type Bitmap, darkRuns, toSvg } from './bitmap.ts';
import { toPng } from './png.ts';

/** ISO/IEC 18004: four modules of white around. */
const QUIET_MODULES = 4;
/** A QRIS code of 57 modules is then some 500 pixels wide: sharp on a phone, and when printed. */
const MODULE_PIXELS = 8;

/**
 * A QR code as SVG, with `label` for those who can't see it. Throws for more text than a QR code holds (2,331 bytes); a QRIS code
 * has at most 512 characters.
 */
export function qrSvg(text: string, label: string): string {
  const bitmap = toBitmap(text);
  return toSvg(bitmap.length, bitmap.length, bitmap.map((row, y) => darkRuns(row, y, 1)).join(''), label);
}

/** The same as PNG, black and white, eight pixels a module. */
export function qrPng(text: string): Buffer {
  return toPng(toBitmap(text), MODULE_PIXELS);
}

/** EMVCo advises level M: a seventh of the code may be damaged. */
function toBitmap(text: string): Bitmap {
  return encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_MODULES });
}
