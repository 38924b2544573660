// Loaded before a service of a cluster on one machine (`--import`): there, names of services resolve to the addresses of all their
// replicas, as the names of headless services do in Kubernetes. GERBANG_HOSTS has them as JSON: {"<name>": ["<address>", …]}.
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

const hosts = new Map(Object.entries(JSON.parse(process.env.GERBANG_HOSTS ?? '{}')));
const { lookup } = dns;

dns.lookup = async (name, options) => {
  const addresses = hosts.get(name);
  if (addresses === undefined) return lookup(name, options);
  const entries = addresses.map((address) => ({ address, family: 4 }));
  return options?.all === true ? entries : entries[0];
};
syncBuiltinESMExports();
