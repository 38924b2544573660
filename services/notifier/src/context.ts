import type { Clock } from '@gerbang/core';
import type { Keys } from '@gerbang/keys';
import type { EventCatalogue } from '@gerbang/present';
import type { Logger } from '@gerbang/runtime';
import type { OperatorGate } from '@gerbang/service/operators';
import type { EndpointQueues } from './delivery/endpoint-queues.ts';
import type { EndpointStats } from './delivery/endpoint-stats.ts';
import type { Leases } from './delivery/leases.ts';
import type { Progress } from './delivery/progress.ts';
import type { Puller } from './delivery/puller.ts';
import type { Recorder } from './delivery/recorder.ts';
import type { RetryPolicy } from './delivery/schedule.ts';
import type { Sender } from './delivery/sender.ts';
import type { DeliveryStore } from './delivery/store.ts';
import type { Waker } from './delivery/waker.ts';
import type { UnknownTypes } from './event/unknown-types.ts';
import type { SettingsDirectory } from './event/webhook-settings.ts';
import type { FailingEndpoints } from './failing-endpoint/follow-failing-endpoints.ts';
import type { Metrics } from './metrics.ts';
import type { RedeliveryRuns } from './redelivery-run/store.ts';
import type { UnreadableStore } from './unreadable-event/store.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  /** Which event has which webhook. */
  catalogue: EventCatalogue;
  unknownTypes: UnknownTypes;
  deliveries: DeliveryStore;
  redeliveryRuns: RedeliveryRuns;
  unreadable: UnreadableStore;
  settings: SettingsDirectory;
  /** Aborted when the service ends: no further event of the transactions in hand is sent. */
  ending: AbortSignal;
  leases: Leases;
  queues: EndpointQueues;
  progress: Progress;
  puller: Puller;
  recorder: Recorder;
  waker: Waker;
  sender: Sender;
  /** Opens the tokens of webhooks; undefined where none is configured. */
  keys: Keys<'prepaid-token'> | undefined;
  endpointStats: EndpointStats;
  failingEndpoints: FailingEndpoints;
  retryPolicy: RetryPolicy;
  clock: Clock;
  gate: OperatorGate;
  log: Logger;
  metrics: Metrics;
};
