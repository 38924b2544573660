import { newOperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import { LedgerService, RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { OperatorGateService, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { implement, type RpcChannel, startRpcServer } from '@gerbang/rpc';
import { testLog } from '@gerbang/testkit';
import { createOperatorGate } from '@gerbang/testkit/operator-gate';

/** What a ledger without the rest of the system asks about operators: it knows one, who may only read. */
export async function startOperatorGate() {
  const key = await newOperatorKey('vera');
  const gate = createOperatorGate([{ id: key.id, role: Role.VIEWER, publicKey: publicKeyOf(key) }]);
  const implementations = [implement(OperatorGateService, gate.handlers, ['ledger'])];
  const options = { host: '127.0.0.1', port: 0, tls: undefined, log: testLog(), ready: () => true };
  const server = await startRpcServer({ ...options, implementations });
  return {
    /** MERCHANT_RPC of the ledger. */
    address: `127.0.0.1:${server.port}`,
    /** What the operator may ask the ledger. */
    clientsOf(channel: RpcChannel) {
      const signed = { authorize: operatorAuthorizer(key, 'ledger') };
      return { ledger: channel.client(LedgerService, signed), routing: channel.client(RoutingService, signed) };
    },
    close: () => server.close(),
  };
}

export type OperatorGate = Awaited<ReturnType<typeof startOperatorGate>>;
