import { eventually } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import { call, dataOf } from '../support/merchant-client.ts';
import type { Sandbox } from './sandbox.ts';

/** The ways in which 3DS 2 ends, from the merchant's call to its inquiry: test cards of docs/cards.md that need no clock. */
const CASES: [string, string, string, string][] = [
  ['2701', 'frictionless', '', 'success'],
  ['2719', 'an attempt', '', 'success'],
  ['2313', 'unavailable', '', 'failed'],
  ['2925', 'not authenticated', '', 'failed'],
  ['2537', 'rejected', '', 'failed'],
  ['2446', 'an error of the directory', '', 'failed'],
  ['2354', 'an ACS that answers after the merchant was answered', '', 'success'],
  ['2503', 'a challenge', '123456', 'success'],
  ['2503', 'a challenge with a wrong OTP', '000000', 'failed'],
  ['2420', 'a challenge whose ACS becomes unavailable', '123456', 'failed'],
  ['3006', 'decoupled, in the app', '', 'success'],
  ['3022', 'a challenge by POST', '123456', 'success'],
  ['3048', 'a repeated result message', '123456', 'success'],
  ['3055', 'a contradicting second result message', '000000', 'failed'],
  ['3063', 'a browser that claims success', '000000', 'failed'],
  ['3071', 'a browser with the result of another transaction', '123456', 'success'],
];

export function threeDs(sandbox: () => Sandbox): void {
  test.concurrent.each(CASES)('card 4000 0000 0000 %s, %s, OTP "%s": %s', async (digits, _what, otp, expected) => {
    const { merchant, system } = sandbox();
    const [, account] = system.demo.account_ids;
    const answer = await merchant.send('POST', `/api/v2.0/card/${account}/payment`, {
      card_number: `400000000000${digits}`,
      card_expiry: '12/39',
      card_cvv: '123',
      card_holder_name: 'BUDI SANTOSO',
      amount: { value: '15000.00', currency: 'IDR' },
      customer: { name: 'Budi', email: 'budi@example.com', phone: '081234567890' },
    });
    const payment = dataOf(answer);
    expect(payment.action).toBe(otp === '' ? null : 'redirect');
    if (otp !== '') expect((await submit(payment, otp)).http).toBe(303);
    const path = `/api/v2.0/card/${account}/inquiry-status/${String(payment.id)}`;
    const ended = await eventually(
      'the outcome',
      async () => {
        const { status, failed_code: code } = dataOf(await merchant.get(path));
        return status !== 'pending' && status !== 'processing' && { status, code };
      },
      30_000,
    );
    expect(ended).toEqual({ status: expected, code: expected === 'failed' ? '3DS' : null });
  });
}

/** What a browser sends that was taken to the challenge, by its address or by the form. */
function submit({ payment_url: url, html_form: html }: Record<string, unknown>, otp: string) {
  const [, action = '', creq = ''] = /action="([^"]+)">.*name="creq" value="([^"]+)"/.exec(String(html)) ?? [];
  const { origin, pathname, searchParams } = new URL(typeof url === 'string' ? url : action);
  const fields = new URLSearchParams({ creq: searchParams.get('creq') ?? creq, otp }).toString();
  return call('POST', origin + pathname, fields, { 'content-type': 'application/x-www-form-urlencoded' });
}
