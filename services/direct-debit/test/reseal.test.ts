import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { CreateBindingRequestSchema, UnbindRequestSchema } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { dying, testLog } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { expect, test } from 'vitest';
import { createBinding } from '../src/binding/rpc/create-binding.ts';
import { unbind } from '../src/binding/rpc/unbind.ts';
import { placeCharge } from '../src/charge/place.ts';
import { customerOf } from '../src/otp/ask.ts';
import { sealedPlaces } from '../src/sealed-places.ts';
import { keysOf, useParts } from './parts-harness.ts';
import { newBank } from './scripted-bank.ts';

const parts = useParts();
const contextWith = (...kids: string[]) => parts.newContext(newBank(), newLedger(), dying(), { kids, otpAboveSen: 0n });

/** Everything in the database of bindings and charges, as one text. */
async function dump(): Promise<string> {
  const documents = [
    ...(await parts.store().collection('bindings').find().toArray()),
    ...(await parts.store().collection('charges').find().toArray()),
  ];
  return JSON.stringify(documents, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

test('every sealed field of bindings and charges is sealed again, in each state; then the old key may go', async () => {
  const before = await contextWith('k1');
  const binding = await parts.newBinding(before);
  const { id, merchantId, accountId, customerId, bankCode } = binding.order;
  const request = {
    merchantId,
    accountId,
    customerId,
    bankCode,
    redirectUrl: 'https://shop.example/',
    customerName: 'Ani',
    customerPhone: '081234567890',
  };
  await createBinding(before, create(CreateBindingRequestSchema, { ...request, customerId: randomUUID() }));
  const order = { merchantId, accountId, bindingId: id, referenceNumber: randomUUID(), amountSen: 1_000_000n, description: '' };
  await placeCharge(before, order);
  await before.background.settled();
  await unbind(before, create(UnbindRequestSchema, { merchantId, bindingId: id }));
  // As a binding that failed, and that the bank has still to forget, keeps them; and one whose customer has just agreed.
  const { link, tokens } = (await parts.bindings().find(id))?.document ?? expect.fail('no binding');
  const authCode = await before.sealing.seal('auth-code', id, 'code');
  const bindings = parts.store().collection<{ _id: string }>('bindings');
  await bindings.updateOne({ _id: id }, { $set: { leftover: { link, tokens, tries: 0 }, auth_code: authCode } });

  const texts = (await dump()).match(/v2:env:k1:/g)?.length ?? 0;
  expect(texts).toBeGreaterThan(11);
  for (const walk of sealedPlaces({ store: parts.store(), keys: keysOf('k2', 'k1'), log: testLog() })) {
    expect(await walk.reseal('')).toMatchObject({ overtaken: 0, failed: 0, next: '' });
    expect([...(await walk.count('')).counts.keys()]).toEqual(['v2:env:k2']);
  }
  expect((await dump()).match(/v2:env:(k[12]):/g)).toEqual(Array.from({ length: texts }, () => 'v2:env:k2:'));
  const after = await contextWith('k2');
  const found = (await parts.bindings().find(id)) ?? expect.fail('no binding');
  if (found.state.status !== 'active') throw new Error('it is active');
  expect(await customerOf(after, id, found.state)).toEqual({ accessToken: 'access', accountToken: expect.any(String) });
});
