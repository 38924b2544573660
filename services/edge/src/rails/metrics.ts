import { Counter, type Registry } from '@gerbang/runtime';

/** One helper a business event. */
export type RailMetrics = {
  /** A rail has been answered; `service` and `responseCode` are SNAP's. */
  answeredRail(service: string, responseCode: string): void;
};

export function createRailMetrics(registry: Registry): RailMetrics {
  const answers = new Counter({
    name: 'gerbang_rail_callbacks_total',
    help: 'Calls of banks and acquirers by SNAP service and responseCode',
    labelNames: ['service', 'response_code'],
    registers: [registry],
  });
  return { answeredRail: (service, responseCode) => answers.inc({ service, response_code: responseCode }) };
}
