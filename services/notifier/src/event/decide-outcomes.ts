import type { Context } from '../context.ts';
import { type Outcome, outcomeOf, type Rendered, render } from './outcome.ts';
import type { ReceivedEvent } from './received-event.ts';

/** An event and its outcome. */
export type Decided = { event: ReceivedEvent; outcome: Outcome };

/**
 * Decides the outcomes of events. It asks once for the settings of all their merchants and moments; only events that render to a
 * webhook need any. Where the merchant service cannot give a merchant's settings, all events of that merchant are left out: none
 * is confirmed, and the owner publishes them again.
 */
export async function decideOutcomes({ catalogue, settings }: Context, events: readonly ReceivedEvent[]): Promise<Decided[]> {
  const rendered = events.map((event) => render(catalogue, event));
  const queries = new Map(rendered.flatMap((item) => (needsSettings(item) ? [[keyOf(item.event), item.event]] : [])));
  const answers = queries.size === 0 ? [] : await settings.at([...queries.values()]);
  const answered = new Map([...queries.keys()].map((key, i) => [key, answers[i]]));
  const unanswered = new Set(
    [...queries.values()].filter((_, i) => answers[i] === undefined).map(({ merchantId }) => merchantId),
  );
  return rendered.flatMap((item): Decided[] => {
    const { event } = item;
    if (unanswered.has(event.merchantId)) return [];
    if (item.webhook === undefined) return [{ event, outcome: item.outcome }];
    const found = answered.get(keyOf(event));
    if (found === undefined) throw new Error('the settings of an event were not asked for');
    return [{ event, outcome: outcomeOf(item.webhook, found) }];
  });
}

function needsSettings({ webhook }: Rendered): boolean {
  return webhook !== undefined;
}

function keyOf({ merchantId, atMs }: ReceivedEvent): string {
  return `${merchantId}@${atMs}`;
}
