import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '@gerbang/runtime';
import { afterAll, expect, test } from 'vitest';
import { settlementFromConfig } from '../src/index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-holidays-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const file = path.join(folder, `${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(file, text);
  return file;
}

const wednesdayMs = Date.parse('2026-11-18T10:00:00+07:00');

test('settlements are due by the environment, the rules and the holidays', () => {
  expect(settlementFromConfig({ GERBANG_ENV: 'sandbox' })('qris', wednesdayMs)).toBe(wednesdayMs + 5_000);
  const thursdayMs = Date.parse('2026-11-19T09:00:00+07:00');
  expect(settlementFromConfig({ GERBANG_ENV: 'production' })('qris', wednesdayMs)).toBe(thursdayMs);
  const settlesAt = settlementFromConfig({
    GERBANG_ENV: 'production',
    SETTLEMENT_RULES: 'card=1h',
    BANKING_HOLIDAYS: fileOf('{"holidays": {"2026-11-19": "A day off"}}'),
  });
  expect(settlesAt('card', wednesdayMs)).toBe(wednesdayMs + 3_600_000);
  expect(settlesAt('qris', wednesdayMs)).toBe(Date.parse('2026-11-20T09:00:00+07:00'));
});

test.each([
  ['SETTLEMENT_RULES', { SETTLEMENT_RULES: 'tomorrow' }],
  ['BANKING_HOLIDAYS', { BANKING_HOLIDAYS: '/does/not/exist.json' }],
  ['BANKING_HOLIDAYS', { BANKING_HOLIDAYS: fileOf('not JSON') }],
  ['BANKING_HOLIDAYS', { BANKING_HOLIDAYS: fileOf('{"holidays": {"tomorrow": "x"}}') }],
])('%s that is wrong stops the start and is named', (variable, config) => {
  const start = () => settlementFromConfig({ GERBANG_ENV: 'production', ...config });
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(new RegExp(`^${variable} is not valid`));
});
