import { Counter, type Registry } from 'prom-client';
import type { Logger } from './log-fields.ts';

const LINE_EVERY_MS = 60_000;

/** Raised for each text that was about to be written with a card number: to a log or a trace, in which field of it. */
export type CardNumberAlarm = (where: 'log' | 'span', field: string) => void;

/**
 * Counts every card number that is masked, and logs at most one line a minute about it, as an error with
 * `alert: card_number_masked` and the name of the field. A fault to mend: the code that wrote that field must not have had the number.
 */
export function createCardNumberAlarm(registry: Registry, log: () => Logger): CardNumberAlarm {
  const masked = new Counter({
    name: 'gerbang_card_numbers_masked_total',
    help: 'Card numbers that were about to be written to a log or a trace, and were masked',
    labelNames: ['where'],
    registers: [registry],
  });
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (where, field) => {
    masked.inc({ where });
    const nowMs = performance.now();
    if (nowMs - toldAtMs < LINE_EVERY_MS) return;
    toldAtMs = nowMs;
    log().error({ alert: 'card_number_masked', source: where, field }, 'a card number was about to be written; it is masked');
  };
}
