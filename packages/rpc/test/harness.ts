import { RefusalError } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Logger, Registry } from '@gerbang/runtime';
import { testLog } from '@gerbang/testkit';
import {
  type Handlers,
  implement,
  openChannel,
  type RpcChannel,
  type RpcClient,
  type RpcServer,
  startRpcServer,
  type TlsFiles,
} from '../src/index.ts';
import { openRawLane, type RawLane } from './raw-lane.ts';
import { serveRawLanes } from './raw-server.ts';

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
    requestBytesMax?: number;
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
    ...(options.requestBytesMax !== undefined && { requestBytesMax: options.requestBytesMax }),
    ...(options.metrics !== undefined && { metrics: options.metrics }),
  });
}

/** Servers and channels of a test file, which it closes at its end: clients first. */
export class Opened {
  readonly #rawLanes: RawLane[] = [];
  readonly #channels: RpcChannel[] = [];
  readonly #servers: { close(): Promise<void> }[] = [];

  async serve(...args: Parameters<typeof serveLedger>): Promise<RpcServer> {
    const server = await serveLedger(...args);
    this.#servers.push(server);
    return server;
  }

  /** A server that answers as it is told, also what no server of ours would. */
  async raw(...args: Parameters<typeof serveRawLanes>) {
    const server = await serveRawLanes(...args);
    this.#servers.push(server);
    return server;
  }

  /** A lane to that port of 127.0.0.1 that sends what it is told, also what no client of ours would. */
  rawLane(port: number): RawLane {
    const lane = openRawLane(port);
    this.#rawLanes.push(lane);
    return lane;
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

  /** A client of a name whose addresses are those in the list, also when the list changes; of none while it is empty. */
  ledgerNamed(addresses: readonly string[], port: number) {
    const lookup = async () => {
      if (addresses.length === 0) throw new Error('no such name');
      return [...addresses];
    };
    return this.channel({ address: `ledger.test:${port}`, tls: undefined, timeoutMs: 3_000, lookup }).client(LedgerService);
  }

  /** Closes the raw lanes that are open by now. */
  closeRawLanes(): void {
    for (const lane of this.#rawLanes.splice(0)) lane.close();
  }

  async close(): Promise<void> {
    this.closeRawLanes();
    await Promise.all(this.#channels.map((channel) => channel.close()));
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

/** A handler whose calls all wait until `unblock` says what they answer; `begun` is how many there are. */
export function blockedPost() {
  const { promise, resolve } = Promise.withResolvers<object>();
  let begun = 0;
  const post = () => {
    begun++;
    return promise;
  };
  return { post, begun: () => begun, unblock: resolve };
}

/** Handlers that answer at once with a number by which a test knows the replica. */
export const numbered = (n: bigint) => ({ post: async () => ({ availableAfterSen: n }) });

/** Who answers; a call that is not tried again. */
export async function ask(ledger: RpcClient<typeof LedgerService>, timeoutMs = 3_000): Promise<bigint> {
  return (await ledger.post({}, { retry: false, timeoutMs })).availableAfterSen;
}

/** What a call was refused with, and what the road says of it. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  const { refused, cause } = await refusalOf(call);
  return `${refused}: ${cause}`;
}

/** The two of them apart. */
export async function refusalOf(call: Promise<unknown>): Promise<{ refused: string; cause: string }> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RefusalError)) throw new Error(`it has not failed with a refusal: ${String(error)}`);
  return { refused: error.refusal.refused, cause: String(error.cause) };
}
