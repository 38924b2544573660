import { connect } from 'node:net';
import type { DescService } from '@bufbuild/protobuf';
import type { Json } from '@gerbang/core';
import { openLedgerChannel } from '@gerbang/neighbours';
import { TimelineService } from '@gerbang/proto/gerbang/events/v1/events';
import { LedgerService, RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { ResolutionService } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { EventService, RedeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { OperatorAdminService } from '@gerbang/proto/gerbang/operator/v1/operator';
import { openChannel, type RpcChannel, type RpcClient } from '@gerbang/rpc';
import type { EventOwner, RpcServiceName } from '../services.ts';
import { type Config, readConfig } from './config.ts';
import { CommandFailure } from './failure.ts';
import { operatorName, signerOf } from './operator-key.ts';

const CONNECT_MS = 2_000;
const CALL_MS = 15_000;

/** What one command works with: the running system, and the operator's terminal. */
export type Session = {
  /** Who gives the command, for the audit log. */
  operator(): string;
  /**
   * A client of one of a service's gRPC services. Fails with where it looked when the service is not running, as the others do.
   */
  client<S extends DescService>(service: RpcServiceName, desc: S): Promise<RpcClient<S>>;
  /** As `client`; each call is signed with the operator's key or login. */
  signedClient<S extends DescService>(service: RpcServiceName, desc: S): Promise<RpcClient<S>>;
  ledgerService(): Promise<{ ledger: RpcClient<typeof LedgerService>; routing: RpcClient<typeof RoutingService> }>;
  merchantService(): Promise<RpcClient<typeof OperatorService>>;
  /** Operators, approvals and the audit log. */
  adminService(): Promise<RpcClient<typeof OperatorAdminService>>;
  moneyOutService(): Promise<RpcClient<typeof ResolutionService>>;
  redeliveryService(): Promise<RpcClient<typeof RedeliveryService>>;
  notifierService(): Promise<RpcClient<typeof EventService>>;
  /** What has happened to the aggregates of a service. */
  timelineOf(service: EventOwner): Promise<RpcClient<typeof TimelineService>>;
  /** Prints the result: for machines with --json, else the lines for people. */
  show(result: Json, lines: readonly string[]): void;
};

/** The options that every command has. */
export type GlobalOptions = { operator?: string; json?: boolean };

/** Runs one command and closes what it has opened. */
export async function withSession(options: GlobalOptions, work: (session: Session) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const channels: RpcChannel[] = [];
  const open = async (service: RpcServiceName): Promise<RpcChannel> => {
    const { variable, addresses, hasInstances } = mustKnow(config, service);
    await mustListen(variable, addresses);
    const settings = { tls: config.tls, timeoutMs: CALL_MS };
    const [address = ''] = addresses;
    const channel = hasInstances ? openLedgerChannel({ addresses, ...settings }) : openChannel({ address, ...settings });
    channels.push(channel);
    return channel;
  };
  const client = async <S extends DescService>(service: RpcServiceName, desc: S) => (await open(service)).client(desc);
  const signedClient = async <S extends DescService>(service: RpcServiceName, desc: S) => {
    const signer = signerOf(operatorName(options));
    return (await open(service)).client(desc, { authorize: signer(service) });
  };
  try {
    await work({
      operator: () => operatorName(options),
      client,
      signedClient,
      async ledgerService() {
        const authorized = { authorize: signerOf(operatorName(options))('ledger') };
        const ledger = await open('ledger');
        return { ledger: ledger.client(LedgerService, authorized), routing: ledger.client(RoutingService, authorized) };
      },
      merchantService: () => signedClient('merchant', OperatorService),
      adminService: () => signedClient('merchant', OperatorAdminService),
      moneyOutService: () => signedClient('money-out', ResolutionService),
      redeliveryService: () => signedClient('notifier', RedeliveryService),
      notifierService: () => signedClient('notifier', EventService),
      timelineOf: (service) => signedClient(service, TimelineService),
      show: (result, lines) => process.stdout.write(`${options.json ? JSON.stringify(result) : lines.join('\n')}\n`),
    });
  } finally {
    await Promise.all(channels.map((channel) => channel.close()));
  }
}

function mustKnow({ services }: Config, service: RpcServiceName) {
  const found = services.get(service);
  if (found === undefined) throw new Error(`${service} has no gRPC listener`);
  return found;
}

/**
 * Asked before any call, so that an operator needn't wait for retries to hear that nothing runs; one of the addresses is enough.
 */
async function mustListen(variable: string, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) if (await listens(address)) return;
  throw new CommandFailure(
    `Gerbang is not running: nothing answers at ${addresses.join(', ')} (${variable}); start it with npm start`,
  );
}

async function listens(address: string): Promise<boolean> {
  const colon = address.lastIndexOf(':');
  const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)), timeout: CONNECT_MS });
  const answered = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('timeout', () => resolve(false));
    socket.once('error', () => resolve(false));
  });
  socket.destroy();
  return answered;
}
