import { tlsFromConfig } from '@gerbang/rpc';
import { ConfigError, env, loadConfig, tlsShape } from '@gerbang/runtime';
import { z } from 'zod';
import { readPorts } from '../ports.ts';
import { type Ports, peersOf, type RpcServiceName } from '../services.ts';

export type Config = {
  tls: ReturnType<typeof tlsFromConfig>;
  GERBANG_CLIENT_SECRET: string | undefined;
  /** Where each service is, and the variable that says so. More than one address only where a service has instances. */
  services: Map<RpcServiceName, { variable: string; addresses: string[]; hasInstances: boolean }>;
};

/** The operators' own variables, without those of ports and of TLS. */
export const COMMAND_VARIABLES = [
  ...peersOf(readPorts({})).map(({ variable }) => variable),
  'GERBANG_CLIENT_SECRET',
  'OPERATOR_OIDC_ISSUER',
  'OPERATOR_OIDC_AUDIENCE',
];

/**
 * Where the running system is: what `<SERVICE>_RPC` says, else where `npm start` has put it with the same ports
 * (GERBANG_PORT_OFFSET, MERCHANT_RPC_PORT, …). Throws ConfigError.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const { GERBANG_CLIENT_SECRET, ...tls } = loadConfig({ ...tlsShape, GERBANG_CLIENT_SECRET: env.secret() }, environment);
  const services = peersOf(portsFrom(environment)).map(({ service, variable, address, hasInstances }) => {
    const schema = hasInstances ? env.addresses() : env.address().transform((one) => [one]);
    const { [variable]: addresses = [address] } = loadConfig({ [variable]: schema.optional() }, environment);
    return [service, { variable, addresses, hasInstances }] as const;
  });
  return { tls: tlsFromConfig(tls), GERBANG_CLIENT_SECRET, services: new Map(services) };
}

function portsFrom(environment: NodeJS.ProcessEnv): Ports {
  try {
    return readPorts(environment);
  } catch (error) {
    throw error instanceof Error ? new ConfigError([error.message]) : error;
  }
}

/** Where operators log in. Throws ConfigError, also where no provider is set. */
export function readOidcConfig(environment: NodeJS.ProcessEnv): { issuer: URL; clientId: string } {
  const shape = { OPERATOR_OIDC_ISSUER: z.url({ protocol: /^https?$/ }), OPERATOR_OIDC_AUDIENCE: z.string() };
  const { OPERATOR_OIDC_ISSUER, OPERATOR_OIDC_AUDIENCE } = loadConfig(shape, environment);
  return { issuer: new URL(OPERATOR_OIDC_ISSUER), clientId: OPERATOR_OIDC_AUDIENCE };
}
