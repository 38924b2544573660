import type { MongoClient } from 'mongodb';
import type { World } from './entities.ts';
import type { Json } from './file.ts';
import { matches } from './match.ts';

export type EventKind = 'command' | 'cmap' | 'sdam';

/** One event of a client; `name` as the test format calls it. `observed` is false for those counted but not compared. */
export type ObservedEvent = { kind: EventKind; name: string; event: Json; observed: boolean };

const named: [EventKind, string][] = [
  ...['commandStarted', 'commandSucceeded', 'commandFailed'].map((name): [EventKind, string] => ['command', name]),
  ...[
    'connectionPoolCreated',
    'connectionPoolReady',
    'connectionPoolCleared',
    'connectionPoolClosed',
    'connectionCreated',
    'connectionReady',
    'connectionClosed',
    'connectionCheckOutStarted',
    'connectionCheckOutFailed',
    'connectionCheckedOut',
    'connectionCheckedIn',
  ].map((name): [EventKind, string] => ['cmap', name]),
  ...['serverDescriptionChanged', 'topologyDescriptionChanged', 'topologyOpening', 'topologyClosed'].map(
    (name): [EventKind, string] => ['sdam', name],
  ),
];

const sensitive = new Set(
  'authenticate saslStart saslContinue getnonce createUser updateUser copydbgetnonce copydbsaslstart copydb'.split(' '),
);

/** Records the events of a client in the order in which they come. */
export function observe(client: MongoClient, spec: Json): ObservedEvent[] {
  const wanted = new Set((spec.observeEvents as string[] | undefined) ?? []);
  const ignored = new Set(['configureFailPoint', ...((spec.ignoreCommandMonitoringEvents as string[] | undefined) ?? [])]);
  const seen: ObservedEvent[] = [];
  for (const [kind, driverName] of named) {
    const name = driverName.replace('connectionPool', 'pool').concat('Event');
    client.on(driverName as 'commandStarted', (given: unknown) => {
      const event = given as Json;
      const command = String(event.commandName);
      if (kind === 'command') {
        const redacted =
          /^(hello|ismaster)$/i.test(command) && Object.keys((event.command ?? event.reply ?? {}) as Json).length === 0;
        if (ignored.has(command) || ((sensitive.has(command) || redacted) && spec.observeSensitiveCommands !== true)) return;
      }
      seen.push({ kind, name, event, observed: wanted.has(name) });
    });
  }
  return seen;
}

/** Compares what the clients of a test did with what it expects of them. */
export function checkEvents(expectations: unknown, world: World): void {
  for (const expectation of (expectations as Json[] | undefined) ?? []) {
    const kind = (expectation.eventType ?? 'command') as EventKind;
    const expected = expectation.events as Json[];
    const seen = world.eventsOf(expectation.client).filter((one) => one.kind === kind && one.observed);
    for (const [at, one] of expected.entries()) {
      const event = seen[at];
      const [name = ''] = Object.keys(one);
      if (!event) throw new Error(`event ${at}, ${name}, did not occur; there were ${seen.map((other) => other.name)}`);
      if (event.name !== name) throw new Error(`event ${at} is a ${event.name}, expected ${name}`);
      matchEvent(event, one[name] as Json, world, `event ${at}`);
    }
    if (expectation.ignoreExtraEvents !== true && seen.length > expected.length) {
      const extra = seen.slice(expected.length).map(({ name, event }) => `${name} ${event.commandName ?? ''}`);
      throw new Error(`unexpected events: ${extra.join(', ')}`);
    }
  }
}

/** Compares one event; throws where they differ. */
export function matchEvent({ name, event }: ObservedEvent, expected: Json, world: World, path: string): void {
  for (const [field, wanted] of Object.entries(expected)) {
    if (field === 'hasServiceId' || field === 'hasServerConnectionId') {
      const actual = event[field === 'hasServiceId' ? 'serviceId' : 'serverConnectionId'];
      if ((actual !== undefined && actual !== null) !== wanted) throw new Error(`${path}: ${field} is not ${String(wanted)}`);
      continue;
    }
    // The driver sends Maps and classes of its own within commands; what is compared are the fields.
    matches(event[field], wanted, world, `${path} ${name}.${field}`, true);
  }
}
