import { bodyHash } from '@gerbang/core';
import { newDelivery } from '../../src/delivery/delivery.ts';
import type { Delivery } from '../../src/delivery/document.ts';

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
