import type { ReceivedEvent } from './received-event.ts';

/** Types remembered. Their names come from messages, so their number must have a bound; past it every event counts as new. */
const TYPES_MAX = 1_000;

/**
 * The types of event that this process does not know and has alerted operators to. It cannot learn a type before it is replaced by a newer version, and
 * until then every event of the type meets the same end: one alert says all, while thousands would hide others.
 */
export type UnknownTypes = {
  /** True once for each type and schema. */
  isNew(event: Pick<ReceivedEvent, 'service' | 'type' | 'schema'>): boolean;
};

export function createUnknownTypes(): UnknownTypes {
  const known = new Set<string>();
  return {
    isNew({ service, type, schema }) {
      const key = JSON.stringify([service, type, schema]);
      if (known.has(key)) return false;
      if (known.size < TYPES_MAX) known.add(key);
      return true;
    },
  };
}
