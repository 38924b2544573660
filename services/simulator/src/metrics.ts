import { Counter, type Registry } from '@gerbang/runtime';

/** One helper a business event. */
export type Metrics = {
  /** The bank has answered a call; `responseCode` is SNAP's, or `none` where it kept silent. */
  answered(service: string, responseCode: string): void;
};

export function createSimulatorMetrics(registry: Registry): Metrics {
  const answers = new Counter({
    name: 'gerbang_simulator_snap_answers_total',
    help: 'Answers of the sandbox bank by SNAP service and responseCode',
    labelNames: ['service', 'response_code'],
    registers: [registry],
  });
  return { answered: (service, responseCode) => answers.inc({ service, response_code: responseCode }) };
}
