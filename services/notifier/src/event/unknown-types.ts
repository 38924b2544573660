import type { ReceivedEvent } from './received-event.ts';

/** Types remembered. Their names come from messages, so their number needs a bound; beyond it every event counts as new. */
const TYPES_MAX = 1_000;

/**
 * The unknown types of event for which this process has alerted operators. A process knows no new type until a newer version
 * replaces it, and until then all events of the type have the same outcome. One alert says that; thousands would hide others.
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
