import type { Clock } from '@gerbang/core';
import type { EventCatalogue } from '@gerbang/present';
import type { Logger } from '@gerbang/runtime';
import type { AuditLog } from '@gerbang/store';
import type { EndpointStats } from './delivery/endpoint-stats.ts';
import type { FailingEndpoints } from './delivery/failing-endpoints.ts';
import type { Lanes } from './delivery/lanes.ts';
import type { Leases } from './delivery/leases.ts';
import type { Progress } from './delivery/progress.ts';
import type { Puller } from './delivery/puller.ts';
import type { Recorder } from './delivery/recorder.ts';
import type { openRedeliveryRuns } from './delivery/redelivery-run.ts';
import type { RetryPolicy } from './delivery/schedule.ts';
import type { Sender } from './delivery/sender.ts';
import type { DeliveryStore } from './delivery/store.ts';
import type { Waker } from './delivery/waker.ts';
import type { UnknownTypes } from './event/unknown-types.ts';
import type { UnreadableStore } from './event/unreadable-store.ts';
import type { SettingsDirectory } from './event/webhook-settings.ts';
import type { Metrics } from './metrics.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  /** Which events mean which webhook. */
  catalogue: EventCatalogue;
  unknownTypes: UnknownTypes;
  deliveries: DeliveryStore;
  redeliveryRuns: ReturnType<typeof openRedeliveryRuns>;
  unreadable: UnreadableStore;
  audit: AuditLog;
  settings: SettingsDirectory;
  /** Aborted when the service ends: of transactions in hand no further event is sent. */
  ending: AbortSignal;
  leases: Leases;
  lanes: Lanes;
  progress: Progress;
  puller: Puller;
  recorder: Recorder;
  waker: Waker;
  sender: Sender;
  endpointStats: EndpointStats;
  failingEndpoints: FailingEndpoints;
  retryPolicy: RetryPolicy;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
};
