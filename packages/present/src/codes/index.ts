export { code128Svg } from './code128.ts';
export { qrPng, qrSvg } from './qr.ts';
