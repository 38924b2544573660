import type { Context } from '../context.ts';
import type { Fate } from '../delivery/document.ts';
import { fateOf, type Rendered } from './fate.ts';
import type { ReceivedEvent } from './received-event.ts';

/** An event and what becomes of it. */
export type Decided = { event: ReceivedEvent; fate: Fate };

/**
 * Asks once for the settings of all the merchants and moments at hand; only events that render to a webhook need any. Events of a merchant whose
 * settings can't be told are left out, all of them, so that nothing is confirmed past them: the owner publishes them again.
 */
export async function decideFates({ settings }: Context, rendered: readonly Rendered[]): Promise<Decided[]> {
  const keyOf = ({ merchantId, atMs }: ReceivedEvent) => `${merchantId}@${atMs}`;
  const queries = new Map(rendered.flatMap(({ event, webhook }) => (webhook === undefined ? [] : [[keyOf(event), event]])));
  const answers = queries.size === 0 ? [] : await settings.at([...queries.values()]);
  const answered = new Map([...queries.keys()].map((key, i) => [key, answers[i]]));
  const unanswered = new Set(
    [...queries.values()].filter((_, i) => answers[i] === undefined).map(({ merchantId }) => merchantId),
  );
  return rendered.flatMap((item): Decided[] => {
    const { event } = item;
    if (unanswered.has(event.merchantId)) return [];
    if (item.webhook === undefined) return [{ event, fate: item.fate }];
    const found = answered.get(keyOf(event));
    if (found === undefined) throw new Error('the settings of an event were not asked for');
    return [{ event, fate: fateOf(item.webhook, found) }];
  });
}
