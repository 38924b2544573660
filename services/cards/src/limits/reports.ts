import { type Logger, type Registry, securityEventsOf } from '@gerbang/runtime';
import type { Metrics } from '../metrics.ts';
import { COUNTED_BY, type CountedBy } from './limit.ts';
import type { VelocityParts } from './velocity.ts';

const LISTENER = 'cards';
const ROUTE = '/gerbang.cards.v1.CardService/Pay';
const reasonOf = (by: CountedBy) => `card_testing_by_${by}`;

/** Who hears of card testing: metrics of each refusal, and a security event for each window that lets no more through. */
export function reportsOf(
  { registry, log }: { registry: Registry; log: Logger },
  metrics: Pick<Metrics, 'velocityRefused'>,
): Pick<VelocityParts, 'refused' | 'detected'> {
  const events = securityEventsOf(registry, log);
  events.expect(LISTENER, { rate_limited: COUNTED_BY.map(reasonOf) });
  return {
    refused: (by) => metrics.velocityRefused(by),
    detected(by, { merchantId, clientAddress }) {
      const address = clientAddress === '' ? undefined : clientAddress;
      events.record({ listener: LISTENER, kind: 'rate_limited', reason: reasonOf(by), route: ROUTE, address, merchantId });
    },
  };
}
