import { inboxPrefixOf } from './access.ts';
import { CONFIRMING_CONSUMER, streamOf } from './stream.ts';

/** What a service does at NATS. */
export type NatsUse = {
  /** It publishes its events. */
  publishes?: boolean | undefined;
  /** It confirms the events of these services, as the notifier does. */
  confirms?: readonly string[] | undefined;
  /** It hears which merchants and accounts have changed. */
  hearsHints?: boolean | undefined;
};

/** The subjects that a user may publish to and subscribe to; all others are refused. */
export type NatsPermissions = { publish: string[]; subscribe: string[] };

/** Where hints come from: the merchant service's events. */
const HINTS = streamOf('merchant').subjects;

/**
 * The least rights that a service's NATS user needs for what the service does. A publisher makes and looks after its own stream;
 * the notifier makes streams that are missing, but changes and deletes none.
 */
export function permissionsOf(service: string, use: NatsUse): NatsPermissions {
  const confirmed = use.confirms ?? [];
  return {
    publish: [...(use.publishes ? publisherRights(service) : []), ...confirmed.flatMap(consumerRights)],
    subscribe: [
      ...(use.publishes || confirmed.length > 0 ? [`${inboxPrefixOf(service)}.>`] : []),
      ...(use.hearsHints ? [HINTS] : []),
    ],
  };
}

function publisherRights(service: string): string[] {
  const { name, subjects } = streamOf(service);
  return [
    subjects,
    ...['INFO', 'CREATE', 'UPDATE'].map((what) => `$JS.API.STREAM.${what}.${name}`),
    `$JS.API.CONSUMER.INFO.${name}.${CONFIRMING_CONSUMER}`,
  ];
}

function consumerRights(service: string): string[] {
  const { name } = streamOf(service);
  const consumer = `${name}.${CONFIRMING_CONSUMER}`;
  return [
    ...['INFO', 'CREATE'].map((what) => `$JS.API.STREAM.${what}.${name}`),
    ...['INFO', 'CREATE', 'DURABLE.CREATE', 'DELETE', 'MSG.NEXT'].map((what) => `$JS.API.CONSUMER.${what}.${consumer}`),
    `$JS.ACK.${consumer}.>`,
  ];
}
