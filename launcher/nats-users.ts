import { type NatsPermissions, permissionsOf } from '@gerbang/bus/permissions';
import { SERVICES } from './services.ts';

/** A service's user of NATS: its name is the service's, and its password comes from that variable of the server. */
type NatsUser = { service: string; passwordVariable: string; permissions: NatsPermissions };

/** Every service that uses NATS, with the least rights that it needs. */
function natsUsers(): NatsUser[] {
  const publishers = SERVICES.flatMap((row) => ('aggregates' in row ? [row.name] : []));
  const users = SERVICES.map((row): NatsUser => {
    const use = {
      publishes: 'aggregates' in row,
      confirms: row.name === 'notifier' ? publishers : [],
      hearsHints: 'hearsHints' in row,
    };
    const passwordVariable = `NATS_PASSWORD_${row.name.toUpperCase().replaceAll('-', '_')}`;
    return { service: row.name, passwordVariable, permissions: permissionsOf(row.name, use) };
  });
  return users.filter(({ permissions }) => permissions.publish.length + permissions.subscribe.length > 0);
}

/** The text of deploy/nats/users.conf, which a nats-server includes. */
export function natsUsersConfig(): string {
  const users = natsUsers().map(
    ({ service, passwordVariable, permissions }) => `    {
      user: "${service}"
      password: $${passwordVariable}
      permissions: {
        publish: ${allowed(permissions.publish)}
        subscribe: ${allowed(permissions.subscribe)}
      }
    }`,
  );
  return `# The users of NATS, one a service, each with the least rights that it needs. A nats-server.conf includes this file; the
# passwords (or their bcrypt hashes) are in the server's environment. Written by: node launcher/nats-users.ts > deploy/nats/users.conf
authorization: {
  users: [
${users.join('\n')}
  ]
}
`;
}

/** An empty list would allow everything. */
function allowed(subjects: readonly string[]): string {
  if (subjects.length === 0) return '{ deny: ">" }';
  return `{\n          allow: [\n${subjects.map((subject) => `            "${subject}"`).join('\n')}\n          ]\n        }`;
}

if (import.meta.main) process.stdout.write(natsUsersConfig());
