import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Logger, Registry } from '@gerbang/runtime';
import { testLog } from '@gerbang/testkit';
import {
  type Handlers,
  implement,
  openChannel,
  type RpcChannel,
  type RpcServer,
  startRpcServer,
  type TlsFiles,
} from '../src/index.ts';

export type Ledger = Handlers<typeof LedgerService>;

const unused = async () => {
  throw new Error('not part of this test');
};

/** A ledger with the handlers that a test needs; the others fail. */
export function serveLedger(
  handlers: Partial<Ledger>,
  options: {
    host?: string;
    port?: number;
    tls?: TlsFiles;
    callers?: string[];
    inFlightMax?: number;
    metrics?: Registry;
    log?: Logger;
    ready?: () => boolean;
  } = {},
): Promise<RpcServer> {
  const all: Ledger = { post: unused, getBalance: unused, verify: unused, ...handlers };
  return startRpcServer({
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    tls: options.tls,
    log: options.log ?? testLog(),
    implementations: [implement(LedgerService, all, options.callers ?? [])],
    ready: options.ready ?? (() => true),
    ...(options.inFlightMax !== undefined && { inFlightMax: options.inFlightMax }),
    ...(options.metrics !== undefined && { metrics: options.metrics }),
  });
}

/** Servers and channels of a test file, which it closes at its end: channels first. */
export class Opened {
  readonly #channels: RpcChannel[] = [];
  readonly #servers: { close(): Promise<void> }[] = [];

  async serve(...args: Parameters<typeof serveLedger>): Promise<RpcServer> {
    const server = await serveLedger(...args);
    this.#servers.push(server);
    return server;
  }

  channel(options: Parameters<typeof openChannel>[0]): RpcChannel {
    const channel = openChannel(options);
    this.#channels.push(channel);
    return channel;
  }

  /** A client of the ledger on that port of 127.0.0.1. */
  ledger(port: number) {
    return this.channel({ address: `127.0.0.1:${port}`, tls: undefined }).client(LedgerService);
  }

  async close(): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel.close()));
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}
