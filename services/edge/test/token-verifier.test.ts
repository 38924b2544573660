import { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { openChannel } from '@gerbang/rpc';
import { testLog } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import { createTokenVerifier } from '../src/http/token-verifier.ts';
import { newMerchant, startFakeServices } from './fake-services.ts';

test('a token that was verified is known, without being verified again, until it expires', async () => {
  await using resources = new AsyncDisposableStack();
  const now = { ms: Date.now() };
  const fakes = await startFakeServices(() => now.ms);
  resources.defer(() => fakes.close());
  const channel = openChannel({ address: fakes.address, tls: undefined });
  resources.defer(() => channel.close());
  const tokens = createTokenVerifier({ merchants: channel.client(MerchantService), realNow: () => now.ms, log: testLog() });
  resources.defer(() => tokens.close());
  const merchant = newMerchant();
  const token = fakes.token(merchant);

  expect(tokens.known(token)).toBeUndefined();
  const claims = await tokens.verify(token);
  expect(claims).toMatchObject({ merchantId: merchant.merchantId, clientId: merchant.clientId });
  // The very same: nothing has been parsed anew.
  expect(tokens.known(token)).toBe(claims);
  expect(await tokens.verify(token)).toBe(claims);
  // Its end is what it is looked up by; whatever comes before that end counts all the same.
  const [head = '', ...rest] = token.split('.');
  expect(tokens.known([`${head}A`, ...rest].join('.'))).toBeUndefined();

  now.ms = claims.expiresAtMs - 1;
  expect(tokens.known(token)).toBe(claims);
  now.ms = claims.expiresAtMs;
  expect(tokens.known(token)).toBeUndefined();
  await expect(tokens.verify(token)).rejects.toMatchObject({ refusal: { refused: 'unauthorized' } });
});
