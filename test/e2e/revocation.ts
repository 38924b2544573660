import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { openChannel, type RpcChannel, type RpcClient } from '@gerbang/rpc';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoClient } from '../../launcher/operators.ts';
import { signIn } from '../support/merchant-client.ts';
import type { Sandbox } from './sandbox.ts';

/** Contract §3: disabling a credential or rotating its secret revokes its tokens within so much. */
const REVOKED_WITHIN_MS = 5_000;

export function revocations(sandbox: () => Sandbox): void {
  let channel: RpcChannel;
  let operators: RpcClient<typeof OperatorService>;

  beforeAll(() => {
    channel = openChannel({ address: `127.0.0.1:${sandbox().system.ports.MERCHANT_RPC_PORT}`, tls: undefined });
    operators = demoClient(sandbox().system.dataFolder, channel, OperatorService);
  });

  afterAll(() => channel?.close());

  const ways: [string, (of: { merchantId: string; clientId: string }) => Promise<unknown>][] = [
    ['disabled', (of) => operators.disableCredential(of)],
    ['rotated', (of) => operators.rotateSecret(of)],
  ];

  test.each(ways)('tokens of a credential that is %s are out within 5 s, those of others stay', async (what, revoke) => {
    const { merchantId, partnerId, clientId, clientSecret } = await operators.createMerchant({
      name: `Toko ${what}`,
      products: [],
      ipWhitelist: ['127.0.0.1', '::1'],
      accountNames: ['Utama'],
    });
    const added = await operators.addCredential({ merchantId });
    const { base_url } = sandbox().system.demo;
    const mine = await signIn(base_url, { partner_id: partnerId, client_id: clientId, client_secret: clientSecret });
    const other = await signIn(base_url, {
      partner_id: partnerId,
      client_id: added.clientId,
      client_secret: added.clientSecret,
    });
    const statusOf = async (client: typeof mine) => (await client.api.GET('/api/v1.0/accounts')).response.status;
    expect([await statusOf(mine), await statusOf(other)]).toEqual([200, 200]);
    await revoke({ merchantId, clientId });
    await eventually('out', async () => (await statusOf(mine)) === 401, REVOKED_WITHIN_MS);
    expect(await statusOf(other)).toBe(200);
  });
}
