import { expect, test } from 'vitest';
import { type ChargeRequest, openSnapDirectDebit } from '../src/direct-debit/index.ts';
import { aspi } from '../src/providers/aspi.ts';
import type { Provider } from '../src/providers/provider.ts';
import { startRecordedBank } from './recorded-bank.ts';

const CHARGE = '/v1.0/charge';
/** A bank whose charges have a UUID as their external id. */
const provider: Provider = {
  ...aspi,
  services: { ...aspi.services, debitPayment: { path: CHARGE, externalId: 'uuid' } },
};

test('questions and refunds name a charge by the external id that the bank got', async () => {
  const bank = await startRecordedBank();
  const rail = openSnapDirectDebit({ ...bank.credentials, provider, merchantId: 'm' });
  const externalId = '12345678901234567890123456789012';
  const request: ChargeRequest = {
    partnerReference: 'c-1',
    externalId,
    amountSen: '10000000',
    merchantReference: 'm-1',
    deviceId: 'd-1',
    createdAtMs: 0,
  };
  const refund = {
    originalReference: 'c-1',
    originalExternalId: externalId,
    refundReference: 'r-1',
    externalId: '2',
    amountSen: '10000000',
    createdAtMs: 0,
  };
  const soon = () => ({ signal: AbortSignal.timeout(5_000), firstSend: true });
  const customer = { accessToken: 'a', accountToken: 't' };
  try {
    await rail.charge(request, { customer, chargeToken: undefined }, soon());
    await rail.inquireCharge(request, soon());
    await rail.refund(refund, soon());
    await rail.inquireRefund(refund, soon());
    const [sent, ...later] = bank.calls;
    expect(sent?.path).toBe(CHARGE);
    const named = sent?.headers['x-external-id'];
    expect(later.map(({ body }) => body.originalExternalId)).toEqual([named, named, named]);
  } finally {
    await rail.close();
    await bank.close();
  }
});
