import type { World } from './entities.ts';
import type { Json } from './file.ts';
import { matches } from './match.ts';
import type { EventKind, ObservedEvent } from './observe.ts';

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
