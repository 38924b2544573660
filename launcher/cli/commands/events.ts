import type { TimelineEvent } from '@gerbang/proto/gerbang/events/v1/events';
import type { Fate, UnreadableEvent } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { type Command, Option } from 'commander';
import { EVENT_OWNERS, type EventOwner } from '../../services.ts';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, type Session, withSession } from '../session.ts';
import { count, moment, toIso } from '../values.ts';

type Filter = { service?: EventOwner; event?: string; from?: bigint; to?: bigint };

const REPLAY_MS = 60_000;

/** The service that owns an aggregate, by its collection. */
const owners: Readonly<Record<string, EventOwner>> = Object.fromEntries(EVENT_OWNERS);

/** events list | replay | show. Returns the group, so that other files can add commands to it. */
export function eventCommands(program: Command): Command {
  const events = program.command('events').description('what has happened, and its webhooks');
  filtered(events.command('list'))
    .description('list events that cannot be read or rendered, the oldest first')
    .requiredOption('--unreadable', 'those that cannot be read or rendered')
    .option('--limit <count>', 'events to show', count, 100)
    .action((_, command: Command) => list(command.optsWithGlobals()));
  filtered(events.command('replay'))
    .description('after a fix, read and render unreadable events again; those that can be read now are delivered')
    .argument('[id]', 'one event, as events list shows it')
    .option('--all', 'all of them, without any filter')
    .action((id: string | undefined, _, command: Command) => replay(command.optsWithGlobals(), id));
  events
    .command('show')
    .description(
      'show everything that has happened to a payment, a transfer, a merchant or an account, and whether its webhooks have arrived',
    )
    .argument(
      '<aggregate>',
      `<type>:<id>, where type is one of ${Object.keys(owners).join(', ')}; a transfer's id is <account>:<reference>`,
    )
    .action((aggregate: string, _, command: Command) => show(command.optsWithGlobals(), aggregate));
  return events;
}

function filtered(command: Command): Command {
  return command
    .addOption(new Option('--service <name>', 'only of this service').choices([...new Set(Object.values(owners))]))
    .option('--event <type>', 'only of this type, for instance disbursement.succeeded')
    .option('--from <time>', 'that occurred at this time or later', moment)
    .option('--to <time>', 'that occurred at this time or earlier', moment);
}

function toFilter({ service, event, from, to }: Filter, id = '') {
  return {
    id,
    service: service ?? '',
    type: event ?? '',
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  };
}

function list(options: GlobalOptions & Filter & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const notifier = await session.notifierService();
    const { events, nextCursor } = await notifier.listUnreadable({ filter: toFilter(options), limit: options.limit });
    const more = nextCursor === '' ? [] : ['there are more'];
    session.show(events.map(toJson), events.length === 0 ? ['there are no unreadable events'] : [...events.map(toLine), ...more]);
  });
}

function replay(options: GlobalOptions & Filter & { all?: boolean }, id: string | undefined): Promise<void> {
  const { service, event, from, to } = options;
  const narrowed = [id, service, event, from, to].some((value) => value !== undefined);
  if (!narrowed && options.all !== true) throw new CommandFailure('give an id, --service, --event, --from or --to, or --all');
  return withSession(options, async (session) => {
    const notifier = await session.notifierService();
    const replayed: { id: string; fate: string; reason: string }[] = [];
    let cursor = '';
    do {
      const request = { filter: toFilter(options, id), cursor };
      const page = await notifier.replayEvents(request, { timeoutMs: REPLAY_MS });
      replayed.push(...page.events.map((item) => ({ id: item.id, fate: item.fate, reason: item.reason })));
      cursor = page.nextCursor;
    } while (cursor !== '');
    const still = replayed.filter(({ fate }) => fate === 'unreadable');
    session.show(replayed, [
      ...still.map((item) => `${item.id}  still unreadable: ${item.reason}`),
      `${replayed.length} replayed: ${replayed.filter(({ fate }) => fate === 'webhook').length} are delivered, ${still.length} are still unreadable`,
    ]);
    if (id !== undefined && replayed.length === 0) throw new CommandFailure(`${id} is not an unreadable event`);
    if (still.length > 0) throw new CommandFailure(`${still.length} of ${replayed.length} are still unreadable`);
  });
}

function show(options: GlobalOptions, aggregate: string): Promise<void> {
  const colon = aggregate.indexOf(':');
  const [type, id] = [aggregate.slice(0, Math.max(0, colon)), aggregate.slice(colon + 1)];
  const service = owners[type];
  if (service === undefined)
    throw new CommandFailure(`${aggregate}: expected <type>:<id> with one of ${Object.keys(owners).join(', ')}`);
  return withSession(options, async (session) => {
    const events = await timelineOf(session, service, type, id);
    if (events.length === 0) throw new CommandFailure(`there are no events of ${aggregate}`);
    const keys = events.map(({ event }) => ({ seq: event?.seq ?? 0n, atMs: event?.atMs ?? 0n }));
    const notifier = await session.notifierService();
    const { fates } = await notifier.listFates({ service, aggregateType: type, aggregateId: id, events: keys });
    const outcomes = new Map(fates.map((outcome) => [outcome.seq, outcome]));
    const entries = events.map((item) => toEntry(item, outcomes.get(item.event?.seq ?? 0n)));
    session.show(
      entries,
      entries.map(
        ({ seq, at, event, webhook, reason }) => `${seq}  ${at}  ${event}  ${webhook}${reason === '' ? '' : `: ${reason}`}`,
      ),
    );
  });
}

/** The most events of one aggregate that are shown. */
const TIMELINE_MAX = 1_000;

async function timelineOf(session: Session, service: EventOwner, type: string, id: string): Promise<TimelineEvent[]> {
  const timeline = await session.timelineOf(service);
  const events: TimelineEvent[] = [];
  let more = true;
  while (more && events.length < TIMELINE_MAX) {
    const page = await timeline.listEvents({ aggregateType: type, aggregateId: id, afterSeq: events.at(-1)?.event?.seq ?? 0n });
    events.push(...page.events);
    more = page.more && page.events.length > 0;
  }
  return events.slice(0, TIMELINE_MAX);
}

function toEntry({ event, merchantId, confirmed }: TimelineEvent, outcome: Fate | undefined) {
  return {
    seq: Number(event?.seq ?? 0n),
    at: toIso(event?.atMs ?? 0n),
    event: event?.type ?? '',
    merchant_id: merchantId,
    confirmed,
    event_id: outcome?.eventId ?? '',
    webhook: outcome?.status ?? 'not stored yet',
    reason: outcome?.reason ?? '',
  };
}

function toJson({ id, service, aggregate, seq, type, merchantId, atMs, reason }: UnreadableEvent) {
  return { id, service, aggregate, seq: Number(seq), event: type, merchant_id: merchantId, at: toIso(atMs), reason };
}

/** For instance "01J…  2026-11-21T08:00:00.000Z  disbursement.succeeded  money-out:transfers:…#2  merchant 01J…  the reason". */
function toLine({ id, service, aggregate, seq, type, merchantId, atMs, reason }: UnreadableEvent): string {
  const what = aggregate === '' ? `a message of ${service}` : `${type}  ${aggregate}#${seq}  merchant ${merchantId}`;
  return `${id}  ${toIso(atMs)}  ${what}  ${reason}`;
}
