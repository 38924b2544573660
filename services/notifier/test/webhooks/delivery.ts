import { bodyHash } from '@gerbang/core';
import { type Delivery, newDelivery } from '../../src/delivery/delivery.ts';

/** A signed delivery of an event `disbursement`, as it is stored before its first attempt. */
export function deliveryOf(id: string, url: string, body: string, nowMs: number): Delivery {
  return {
    id,
    merchantId: 'm1',
    event: 'disbursement',
    url,
    endpoint: `m1 ${new URL(url).origin}`,
    body,
    bodyHash: bodyHash(JSON.parse(body)),
    signed: true,
    traceparent: '',
    atMs: nowMs,
    aggregate: 'a',
    seq: 1n,
    state: newDelivery(nowMs),
    attempts: [],
    redeliveries: [],
  };
}
