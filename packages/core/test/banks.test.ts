import { expect, test } from 'vitest';
import { BANKS, findBank, findBankByShortName, VA_BANK_CODES, vaBank } from '../src/index.ts';

test('the banks that the contract names are there, each found by all of its codes', () => {
  const named = [...VA_BANK_CODES, 'BTN', 'CITI', 'HSBC', 'DBS', 'JAGO', 'SEABANK'];
  expect(BANKS.map(({ shortName }) => shortName)).toEqual(expect.arrayContaining(named));
  for (const bank of BANKS) {
    expect([bank.shortName, bank.nationalCode, bank.swiftCode]).toEqual([
      expect.stringMatching(/^[A-Z]+$/),
      expect.stringMatching(/^\d{3}$/),
      expect.stringMatching(/^[A-Z]{4}ID[A-Z0-9]{2}$/),
    ]);
    expect([findBankByShortName(bank.shortName), findBank(bank.nationalCode), findBank(bank.swiftCode)]).toEqual([
      bank,
      bank,
      bank,
    ]);
  }
  expect(VA_BANK_CODES.map((code) => vaBank(code).shortName)).toEqual([...VA_BANK_CODES]);
  expect(findBank('014')).toBe(findBank('CENAIDJA'));
  expect([findBank('999'), findBankByShortName('X'), findBankByShortName('constructor')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
