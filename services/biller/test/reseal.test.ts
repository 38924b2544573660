import { testLog } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import { purchaseTokens } from '../src/purchase/sealed-place.ts';
import { inquire, keysOf, newToken, pay, scriptedBiller, scriptedLedger, success, untilDone, useBiller } from './world.ts';

const { open, store } = useBiller('reseal');

test('tokens of purchases are sealed again; then the old key may go', async () => {
  const [biller, ledger] = [scriptedBiller(success(newToken())), scriptedLedger()];
  const before = await open(biller, ledger, { keys: keysOf('k1') });
  const { referenceNumber } = await inquire(before);
  const { token } = await pay(before, referenceNumber);
  await untilDone(before, referenceNumber);
  const walk = purchaseTokens({ store: store(), keys: keysOf('k2', 'k1'), log: testLog() });
  expect(Object.fromEntries((await walk.count('')).counts)).toEqual({ 'v2:env:k1': 1 });
  expect(await walk.reseal('')).toMatchObject({ resealed: 1, failed: 0, next: '' });
  expect(Object.fromEntries((await walk.count('')).counts)).toEqual({ 'v2:env:k2': 1 });
  const after = await open(biller, ledger, { keys: keysOf('k2') });
  expect((await pay(after, referenceNumber)).token).toBe(token);
});
