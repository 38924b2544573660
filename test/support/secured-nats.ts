import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestNats, type TestCertificate, type TestNats } from '@gerbang/testkit';
import { natsUsersConfig } from '../../launcher/nats-users.ts';

/** A NATS with TLS and the users of deploy/nats/users.conf. The host's name is in its certificate. */
export type SecuredNats = {
  url: string;
  /** What a service is configured by to reach it; empty for one that has no user. */
  environmentOf(service: string): Record<string, string>;
  stop: TestNats['stop'];
};

/** Starts one with that certificate, which is good for localhost. */
export async function startSecuredNats({ ca, cert, key }: TestCertificate): Promise<SecuredNats> {
  const config = path.join(mkdtempSync(path.join(tmpdir(), 'gerbang-nats-conf-')), 'nats.conf');
  const users = natsUsersConfig();
  writeFileSync(config, `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}" }\n${users}`);
  const known = new Map([...users.matchAll(/user: "([a-z-]+)"\n\s+password: \$(\w+)/g)].map(([, user, name]) => [user, name]));
  const passwordOf = (service: string) => `secret-of-${service}`;
  const env = Object.fromEntries([...known].map(([user = '', name = '']) => [name, passwordOf(user)]));
  const nats = await startTestNats({ config, env });
  return {
    url: nats.url.replace('nats://127.0.0.1', 'tls://localhost'),
    environmentOf(service): Record<string, string> {
      if (!known.has(service)) return {};
      return { NATS_USER: service, NATS_PASSWORD: passwordOf(service), NATS_TLS_CA: ca };
    },
    stop: nats.stop,
  };
}
