import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { dump } from 'js-yaml';
import { readPorts } from '../../../launcher/ports.ts';
import { writeRailPartners } from '../../../launcher/rail-partners.ts';
import { ensureSecrets, type Secrets } from '../../../launcher/secrets.ts';
import { environmentOf, SERVICES } from '../../../launcher/services.ts';
import { INSTALLATIONS, readValues, secretVariables } from './chart.ts';

const root = path.resolve(import.meta.dirname, '../../..');
/** Where MongoDB is in the namespace of the stores that values/laptop.yaml names. */
const MONGODB = 'mongodb://mongodb.gerbang-stores.svc:27017/?replicaSet=gerbang';
/** How containers of a compose network reach what the launcher has on one machine; customers' pages stay on the machine. */
const HOSTS: Readonly<Record<string, string>> = {
  'http://127.0.0.1:8070': 'http://simulator:8070',
  'http://127.0.0.1:8082': 'http://edge:8082',
};

/** The variables that the launcher gives a service in a sandbox; its file of rails is written to `folder`. */
function sandboxEnvironment(service: string, secrets: Secrets, folder: string): Record<string, string> {
  const row = SERVICES.find(({ name }) => name === service);
  if (row === undefined) throw new Error(`there is no service ${service}`);
  return environmentOf(row, { ports: readPorts({}), secrets, dataFolder: folder });
}

/** The Secrets of a sandbox in Kubernetes, as values/laptop.yaml needs them. */
export function kubernetesSecrets(secrets: Secrets, folder: string): string {
  const manifest = (name: string, stringData: Record<string, string>) =>
    dump(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: `gerbang-${name}` }, type: 'Opaque', stringData },
      { lineWidth: -1 },
    );
  const services = [...secretVariables(readValues(INSTALLATIONS.laptop))].map(([service, names]) => {
    const environment = sandboxEnvironment(service, secrets, folder);
    const values = names.map((name) => [name, environment[name] ?? otherSecret(name, secrets)]);
    return manifest(service, Object.fromEntries(values));
  });
  const partners = readFileSync(writeRailPartners(folder, secrets), 'utf8');
  return [...services, manifest('rail-partners', { 'rail-partners.json': partners })].join('---\n');
}

/** What the launcher has no variable for: its NATS has no users, and neither has that of the sandbox. */
function otherSecret(name: string, secrets: Secrets): string {
  if (name === 'MONGODB_URI') return MONGODB;
  if (name === 'NATS_PASSWORD') return secrets.rail.clientSecret;
  throw new Error(`the sandbox has no ${name}`);
}

/** Writes the files that deploy/compose/compose.yaml reads: the variables of each service, and the edge's file of rails. */
export function writeComposeSecrets(secrets: Secrets, folder: string): void {
  mkdirSync(path.join(folder, 'private'), { recursive: true, mode: 0o755 });
  for (const { name } of SERVICES) {
    const lines = Object.entries(sandboxEnvironment(name, secrets, path.join(folder, 'private')))
      // compose.yaml says where everything is; these are values only.
      .filter(([variable]) => !/_PORT$|^PAY_URL$|^BILLER_URL$|^RAIL_PARTNERS$|^SIMULATOR_RAILS_URL$/.test(variable))
      .map(
        ([variable, value]) => `${variable}=${Object.entries(HOSTS).reduce((text, [from, to]) => text.replace(from, to), value)}`,
      );
    writeFileSync(path.join(folder, `${name}.env`), `${lines.join('\n')}\n`, { mode: 0o600 });
  }
  // The file is mounted, and a container's user is not the one of this machine: the image copies it for its own user only.
  const partners = path.join(folder, 'private/rail-partners.json');
  writeFileSync(partners, readFileSync(partners), { mode: 0o644 });
}

/**
 * `node tools/deploy/src/sandbox-secrets.ts`: the Secrets of a sandbox in Kubernetes, to standard output; with --compose the
 * files of deploy/compose. They are made once and kept in the data folder.
 */
if (import.meta.main) {
  const { values } = parseArgs({ options: { compose: { type: 'boolean', default: false } } });
  const data = path.resolve(root, process.env.GERBANG_DATA || '.gerbang');
  mkdirSync(data, { recursive: true });
  const secrets = ensureSecrets(data);
  if (values.compose) writeComposeSecrets(secrets, path.join(root, 'deploy/compose/secrets'));
  else process.stdout.write(kubernetesSecrets(secrets, data));
}
