// Loaded before a service of a cluster on one machine (`--import`): there, names of services resolve to the addresses of all their
// replicas, as the names of headless services do in Kubernetes. The query of its URL has them, as names with addresses.
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const hosts = new URL(import.meta.url).searchParams;
const { lookup } = dns;

dns.lookup = async (name, options) => {
  const addresses = hosts.getAll(name);
  if (addresses.length === 0) return lookup(name, options);
  const entries = addresses.map((address) => ({ address, family: 4 }));
  return options?.all === true ? entries : entries[0];
};
syncBuiltinESMExports();
