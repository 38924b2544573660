import { encodeQris, isRefusal, newPaymentCode, qrisNames, randomDigits } from '@gerbang/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { code128Svg, qrPng, qrSvg } from '../src/codes/index.ts';
import { rasterize, scan } from './scanner.ts';

const few = { numRuns: 20 };

function qris(name: string): string {
  const payload = encodeQris({
    type: 'mpm-dynamic',
    accounts: [{ tag: '51', globallyUniqueId: 'ID.CO.QRIS.WWW', merchantId: 'ID1020000000011', criteria: 'UMI', others: [] }],
    merchantCategoryCode: '5812',
    amountSen: 25_000_00n,
    ...qrisNames(name, 'Malang'),
    others: [],
  });
  if (isRefusal(payload)) throw new Error(payload.message);
  return payload;
}

describe('a QR code', () => {
  test.each([['Toko Maju'], ['Kafé “Ångström”'], ['最佳运输']])(
    'of the merchant %s is scanned, as SVG and as PNG',
    async (name) => {
      const payload = qris(name);
      expect(await scan(qrPng(payload), 'QRCode')).toEqual([payload]);
      expect(await scan(rasterize(qrSvg(payload, ''), 3), 'QRCode')).toEqual([payload]);
    },
  );

  test('of any text is scanned', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 512 }), async (text) => {
        expect(await scan(qrPng(text), 'QRCode')).toEqual([text]);
      }),
      few,
    );
  });

  test('has a quiet zone, eight pixels a module, and is small', () => {
    const png = qrPng(qris('Toko Maju'));
    const [, modules] = (/viewBox="0 0 (\d+) /.exec(qrSvg(qris('Toko Maju'), '')) ?? []).map(Number);
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([(modules ?? 0) * 8, (modules ?? 0) * 8]);
    expect(((modules ?? 0) - 8 - 17) % 4).toBe(0);
    expect(png.length).toBeLessThan(4_096);
  });

  test('is labelled for those who cannot see it', () => {
    expect(qrSvg('x', 'QRIS "Toko" <Maju> & Co')).toContain(
      'role="img" aria-label="QRIS &quot;Toko&quot; &lt;Maju&gt; &amp; Co"',
    );
  });
});

describe('a barcode', () => {
  test.each(['ALFAMART', 'INDOMARET'] as const)('of a payment code of %s is scanned', async (chain) => {
    const paymentCode = newPaymentCode(chain, randomDigits);
    const svg = code128Svg(paymentCode, paymentCode);
    expect(await scan(rasterize(svg, 2), 'Code128')).toEqual([paymentCode]);
    // Pairs of digits alone: start, eight pairs, check, stop; with the quiet zones 20 + 10 × 11 + 13 modules.
    expect(svg).toContain('viewBox="0 0 143 60"');
  });

  test('of every pair of digits, and of every printable character', async () => {
    const pairs = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'));
    const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i));
    for (const texts of [pairs, printable]) {
      for (let i = 0; i < texts.length; i += 10) {
        const text = texts.slice(i, i + 10).join('');
        expect(await scan(rasterize(code128Svg(text, ''), 2), 'Code128')).toEqual([text]);
      }
    }
  });

  test('of digits among letters, however many', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^([A-Za-z]{0,3}[0-9]{0,9}){1,3}$/), async (text) => {
        fc.pre(text.length > 0);
        expect(await scan(rasterize(code128Svg(text, ''), 2), 'Code128')).toEqual([text]);
      }),
      { numRuns: 50 },
    );
  });

  test.each(['', 'é', '１２', 'a\n'])('needs printable ASCII, not %j', (text) =>
    expect(() => code128Svg(text, '')).toThrow('printable ASCII'),
  );
});
