import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { openChannel, type RpcChannel, type RpcClient } from '@gerbang/rpc';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { signIn } from '../support/merchant-client.ts';

/** Contract §3: disabling a credential or rotating its secret revokes its tokens within so much. */
const REVOKED_WITHIN_MS = 5_000;
const OPERATOR = 'test';

type Operators = RpcClient<typeof OperatorService>;

let system: System;
let channel: RpcChannel;
let operators: Operators;

beforeAll(async () => {
  system = await startSystem({ name: 'revocation', shuffleUnsorted: true });
  channel = openChannel({ address: `127.0.0.1:${system.ports.MERCHANT_RPC_PORT}`, tls: undefined });
  operators = channel.client(OperatorService);
}, 120_000);

afterAll(async () => {
  await channel?.close();
  await system?.stop();
});

const revocations: [string, (of: { operator: string; merchantId: string; clientId: string }) => Promise<unknown>][] = [
  ['disabled', (of) => operators.disableCredential(of)],
  ['rotated', (of) => operators.rotateSecret(of)],
];

test.each(revocations)('tokens of a credential that is %s are out within 5 s, those of others stay', async (what, revoke) => {
  const { merchantId, partnerId, clientId, clientSecret } = await operators.createMerchant({
    operator: OPERATOR,
    name: `Toko ${what}`,
    products: [],
    ipWhitelist: ['127.0.0.1', '::1'],
    accountNames: ['Utama'],
  });
  const added = await operators.addCredential({ operator: OPERATOR, merchantId });
  const { base_url } = system.demo;
  const mine = await signIn(base_url, { partner_id: partnerId, client_id: clientId, client_secret: clientSecret });
  const other = await signIn(base_url, {
    partner_id: partnerId,
    client_id: added.clientId,
    client_secret: added.clientSecret,
  });
  const statusOf = async (client: typeof mine) => (await client.api.GET('/api/v1.0/accounts')).response.status;
  expect([await statusOf(mine), await statusOf(other)]).toEqual([200, 200]);
  await revoke({ operator: OPERATOR, merchantId, clientId });
  await eventually('out', async () => (await statusOf(mine)) === 401, REVOKED_WITHIN_MS);
  expect(await statusOf(other)).toBe(200);
});
