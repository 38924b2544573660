import { createHash } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { newOperatorKey, operatorAuthorizer } from '@gerbang/neighbours';
import { ListMerchantsRequestSchema } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { OperatorAdminService, OperatorGateService, Outcome, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { openChannel, type RpcChannel } from '@gerbang/rpc';
import { createAuthority } from '@gerbang/testkit';
import { afterEach, expect, test } from 'vitest';
import { budi, enrolment, refusalOf, sari, useMerchantService } from './harness.ts';

const system = useMerchantService();
const certificate = createAuthority();
const channels: RpcChannel[] = [];

afterEach(async () => {
  await Promise.all(channels.splice(0).map((channel) => channel.close()));
});

/** A merchant service that knows its callers by their certificates. */
async function startWithCertificates() {
  const { ca, cert, key } = certificate('merchant');
  const env = { RPC_TLS_CA: ca, RPC_TLS_CERT: cert, RPC_TLS_KEY: key };
  const { service } = await system.start({ env, withoutOperators: true });
  const channelOf = (name: string) => {
    const channel = openChannel({ address: `127.0.0.1:${service.port}`, tls: certificate(name) });
    channels.push(channel);
    return channel;
  };
  const gateOf = (name: string) => channelOf(name).client(OperatorGateService);
  const cli = channelOf('cli');
  await cli.client(OperatorAdminService).setUp({ admins: [enrolment(budi), enrolment(sari)] });
  const admins = cli.client(OperatorAdminService, { authorize: operatorAuthorizer(budi, 'merchant') });
  return { admins, gateOf };
}

/** What money-out asks when budi has given it a command. */
async function commandOf(service: string) {
  const request = toBinary(ListMerchantsRequestSchema, create(ListMerchantsRequestSchema, {}));
  const method = '/gerbang.money_out.v1.ResolutionService/Resolve';
  const authorization = await operatorAuthorizer(budi, service)({ method, request });
  const requestHash = createHash('sha256').update(request).digest();
  return { token: authorization.slice('Bearer '.length), service, method, requestHash, roles: [Role.ADMIN] };
}

test('a service begins and ends its own commands only', async () => {
  const { admins, gateOf } = await startWithCertificates();
  expect((await refusalOf(gateOf('notifier').begin(await commandOf('money-out')))).code).toBe('forbidden');
  const { commandId } = await gateOf('money-out').begin(await commandOf('money-out'));
  const end = { commandId, outcome: Outcome.DONE, target: 'transfer:1', before: 'null', after: 'null' };
  const foreign = { ...end, outcome: Outcome.REFUSED, target: 'nothing' };
  expect((await refusalOf(gateOf('notifier').finish(foreign))).code).toBe('forbidden');
  await gateOf('money-out').finish(end);
  const { lines } = await admins.listAudit({ service: 'money-out' });
  expect(lines[0]).toMatchObject({ commandId, outcome: Outcome.DONE, target: 'transfer:1' });
});

test('a request that is not the one of its token is not proposed', async () => {
  const { channel } = await system.start();
  const gate = channel.client(OperatorGateService);
  const command = { ...(await commandOf('money-out')), needsApproval: true };
  expect((await refusalOf(gate.begin({ ...command, request: Buffer.from('another') }))).code).toBe('validation');
});

test('a service learns whether who has proposed something there may still do so', async () => {
  const { admins, channel, as } = await system.start();
  const gate = channel.client(OperatorGateService);
  const may = async (id: string, ...roles: Role[]) => (await gate.checkOperator({ id, roles })).allowed;
  const dewi = await newOperatorKey('dewi');
  await admins.enrolOperator({ operator: enrolment(dewi), role: Role.SUPPORT });
  expect(await may('dewi', Role.SUPPORT, Role.FINANCE)).toBe(true);
  expect([await may('dewi', Role.FINANCE), await may('nobody', Role.ADMIN)]).toEqual([false, false]);
  await as(budi).admins.disableOperator({ id: 'dewi' });
  expect(await may('dewi', Role.SUPPORT)).toBe(false);
});
