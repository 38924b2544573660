import { isRefusal } from '@gerbang/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appendChange,
  type CallbackHistory,
  type CallbackSettings,
  currentSettings,
  HISTORY_MAX,
  initialHistory,
  settingsAt,
  updateSettings,
} from './callback-settings.ts';

const none: CallbackSettings = { signatureEnabled: true };
const to = (url: string): CallbackSettings => ({ signatureEnabled: true, transactionNotifUrl: url });

function accepts(url: string, httpAllowed: boolean): boolean {
  return !isRefusal(updateSettings(none, to(url), ['transaction_notif_url'], httpAllowed));
}

describe('a callback URL', () => {
  test.each([
    'https://a.example',
    'https://a.example/hook?x=1&y=a%20b',
    'https://a.example:8443/',
    'HTTPS://a.example/',
    'https://[2001:db8::1]/hook',
    'https://a.example/user@home',
  ])('%s is taken everywhere', (url) => {
    expect([accepts(url, true), accepts(url, false)]).toEqual([true, true]);
  });

  test.each(['http://127.0.0.1:9000/hook', 'http://a.example/'])('%s is taken in sandboxes alone', (url) => {
    expect([accepts(url, true), accepts(url, false)]).toEqual([true, false]);
  });

  test.each([
    '',
    'a.example/hook',
    'ftp://a.example/',
    'javascript:alert(1)',
    'https:/a.example/',
    'https://',
    'https:///hook',
    'https:\\\\a.example\\',
    'https://a.example\\@b.example/',
    'https://user:secret@a.example/',
    'https://@a.example/',
    'https://a.example/#part',
    'https://a.example/#',
    ' https://a.example/',
    'https://a.example/\n',
    'https://a .example/',
    'https://a.example:99999/',
    `https://a.example/${'x'.repeat(2_048)}`,
  ])('%j is refused', (url) => {
    expect([accepts(url, true), accepts(url, false)]).toEqual([false, false]);
  });

  test('may have 2,048 characters', () => {
    const url = 'https://a.example/';
    expect(accepts(url + 'x'.repeat(2_048 - url.length), false)).toBe(true);
    expect(accepts(url + 'x'.repeat(2_049 - url.length), false)).toBe(false);
  });
});

test('only the named fields change; an absent URL clears its field', () => {
  const current: CallbackSettings = { ...to('https://a.example/'), disbursementNotifUrl: 'https://b.example/' };
  expect(updateSettings(current, { signatureEnabled: false }, ['transaction_notif_url'], false)).toEqual({
    ...current,
    transactionNotifUrl: undefined,
  });
  expect(updateSettings(current, { signatureEnabled: false }, ['signature_enabled'], false)).toEqual({
    ...current,
    signatureEnabled: false,
  });
  expect(updateSettings(current, none, ['__proto__'], false)).toMatchObject({ refused: 'validation' });
});

test('every URL that is wrong is named', () => {
  const values = { ...to('a.example'), disbursementNotifUrl: 'ftp://b.example/', directDebitNotifUrl: 'https://c.example/' };
  const fields = ['transaction_notif_url', 'disbursement_notif_url', 'direct_debit_notif_url'];
  expect(updateSettings(none, values, fields, false)).toEqual({
    refused: 'validation',
    message: 'transaction_notif_url: must be an https URL; disbursement_notif_url: must be an https URL',
    errors: { transaction_notif_url: ['must be an https URL'], disbursement_notif_url: ['must be an https URL'] },
  });
});

describe('the history', () => {
  test('answers for every moment with the change that held then', () => {
    const times = fc.array(fc.nat(50), { maxLength: 30 });
    fc.assert(
      fc.property(times, fc.nat(60), (steps, atMs) => {
        let history: CallbackHistory = initialHistory(0);
        let expected: CallbackSettings = none;
        let latestMs = 0;
        steps.forEach((stepMs, i) => {
          const settings = to(`https://a.example/${i}`);
          history = appendChange(history, settings, stepMs);
          latestMs = Math.max(latestMs, stepMs);
          if (latestMs <= atMs) expected = settings;
        });
        expect(settingsAt(history, atMs)).toEqual(expected);
        expect(settingsAt(history, Number.MAX_SAFE_INTEGER)).toEqual(currentSettings(history));
      }),
    );
  });

  test('keeps the newest changes; the oldest kept stands for all before it', () => {
    let history = initialHistory(0);
    for (let i = 1; i <= HISTORY_MAX + 5; i++) history = appendChange(history, to(`https://a.example/${i}`), i * 10);
    expect(history).toHaveLength(HISTORY_MAX);
    expect(settingsAt(history, 0)).toEqual(to('https://a.example/6'));
    expect(settingsAt(history, 1_045)).toEqual(to('https://a.example/104'));
  });
});
