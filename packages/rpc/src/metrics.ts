import { Counter, Gauge, Histogram, type Registry } from '@gerbang/runtime';
import { status } from '@grpc/grpc-js';
import { CALL_REFUSALS, type CallRefusal, LANE_LOSSES, type LaneLoss } from './lanes/losses.ts';

export type ServerMetrics = {
  /** A call has ended, or was refused before it began. */
  answered(method: string, code: status, ms: number): void;
};

/** Metrics of the one server of a process; `load` is read when they are collected. */
export function createServerMetrics(
  registry: Registry,
  load: { inFlight(): number; requestBytes(): number; lanes(): number },
): ServerMetrics {
  const calls = createCalls(registry, 'gerbang_rpc_server_calls_total', 'Calls answered or refused, by gRPC status');
  const seconds = new Histogram({
    name: 'gerbang_rpc_server_call_seconds',
    help: 'Time from a whole request to its answer',
    labelNames: ['method'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  createGauge(registry, 'gerbang_rpc_server_in_flight', 'Calls that hold a place now', load.inFlight);
  createGauge(registry, 'gerbang_rpc_server_request_bytes', 'Bytes of the requests of running calls', load.requestBytes);
  createGauge(registry, 'gerbang_rpc_server_lanes', 'Lanes that clients have open', load.lanes);
  return {
    answered(method, code, ms) {
      calls.add(method, code);
      seconds.observe({ method }, ms / 1_000);
    },
  };
}

/** What a channel reads of itself when metrics are collected. */
export type ChannelLoad = { target: string; inFlight: number; openLanes: number };

/** What a channel reports. */
export type ChannelMetrics = {
  lost(loss: LaneLoss): void;
  refused(why: CallRefusal): void;
  /** The channel's own numbers are no part of the metrics any more. */
  close(): void;
};

export type ClientMetrics = {
  answered(method: string, code: status): void;
  watch(channel: ChannelLoad): ChannelMetrics;
};

const clientMetrics = new WeakMap<Registry, ClientMetrics>();

/** Metrics of all channels that a process opens: one set for each registry. */
export function clientMetricsOf(registry: Registry): ClientMetrics {
  const known = clientMetrics.get(registry);
  if (known !== undefined) return known;
  const calls = createCalls(registry, 'gerbang_rpc_client_calls_total', 'Calls made, retries counted as one, by gRPC status');
  const channels = new Set<ChannelLoad>();
  const gauge = (name: string, help: string, read: (channel: ChannelLoad) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['target'],
      registers: [registry],
      collect() {
        this.reset();
        for (const channel of channels) this.inc({ target: channel.target }, read(channel));
      },
    });
  gauge('gerbang_rpc_client_in_flight', 'Calls that wait for an answer now', ({ inFlight }) => inFlight);
  gauge('gerbang_rpc_client_lanes', 'Lanes open to the replicas of a target', ({ openLanes }) => openLanes);
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['target', 'reason'], registers: [registry] });
  const lost = counter('gerbang_rpc_client_lanes_lost_total', 'Lanes lost, and attempts to open one that failed');
  const refused = counter('gerbang_rpc_client_refused_total', 'Attempts at calls that were refused before they left');
  const metrics: ClientMetrics = {
    answered: calls.add,
    watch(channel) {
      const { target } = channel;
      channels.add(channel);
      // A rate is known from the first loss on only where the count was there before it.
      for (const reason of LANE_LOSSES) lost.inc({ target, reason }, 0);
      for (const reason of CALL_REFUSALS) refused.inc({ target, reason }, 0);
      return {
        lost: (reason) => lost.inc({ target, reason }),
        refused: (reason) => refused.inc({ target, reason }),
        close: () => channels.delete(channel),
      };
    },
  };
  clientMetrics.set(registry, metrics);
  return metrics;
}

/**
 * Counted in plain numbers and handed over when they are collected: a labelled increment costs more than the rest of a call's
 * bookkeeping.
 */
function createCalls(registry: Registry, name: string, help: string): { add(method: string, code: status): void } {
  const counts = new Map<string, number[]>();
  new Counter({
    name,
    help,
    labelNames: ['method', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [method, byCode] of counts) {
        byCode.forEach((count, code) => {
          if (count > 0) this.inc({ method, status: status[code] ?? String(code) }, count);
        });
      }
    },
  });
  return {
    add(method, code) {
      let byCode = counts.get(method);
      if (byCode === undefined) {
        byCode = Array.from({ length: 17 }, () => 0);
        counts.set(method, byCode);
      }
      byCode[code] = (byCode[code] ?? 0) + 1;
    },
  };
}

function createGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
