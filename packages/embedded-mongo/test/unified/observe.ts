import type { MongoClient } from 'mongodb';
import type { Json } from './file.ts';

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
