import { ConfigError } from '@gerbang/runtime';
import { z } from 'zod';
import { aspi } from './providers/aspi.ts';
import type { Provider } from './providers/provider.ts';
import { findProvider, PROVIDER_NAMES } from './providers/providers.ts';
import type { SnapCredentials } from './snap-client.ts';
import { TLS_VERSIONS } from './snap-http.ts';

/** What is configured of every rail, by the end of the variable's name. Reading it again gives the same. */
const settings = {
  URL: z.url(),
  /** Absent: the bank speaks SNAP as ASPI publishes it. */
  PROVIDER: z
    .string()
    .refine((name) => findProvider(name) !== undefined, `expected one of ${PROVIDER_NAMES.join(', ')}`)
    .default(aspi.name),
  /** This and the secret: required where the provider signs by access tokens. */
  CLIENT_KEY: z.string().default(''),
  CLIENT_SECRET: z.string().default(''),
  /** PEM, in base64. */
  PRIVATE_KEY: z.base64(),
  PARTNER_ID: z.string().min(1),
  /** Required where the provider prescribes none. */
  CHANNEL_ID: z.string().default(''),
  TLS_MIN: z.enum(TLS_VERSIONS).default('1.3'),
  /** Our account there, whose history is compared with our payments; absent: it is not. */
  HISTORY_ACCOUNT: z.string().max(32).default(''),
};
const schema = z.object(settings);

type Settings = typeof settings;
type Setting = keyof Settings;

/** The ends of the names of a rail's variables. */
export const RAIL_SETTINGS: readonly string[] = Object.keys(settings);

/** The variables of a rail, as a configuration's shape: `RAIL_<NAME>_URL`, `RAIL_<NAME>_CLIENT_KEY` and so on. */
export type RailVariables<Name extends string> = { [S in Setting as `RAIL_${Name}_${S}`]: Settings[S] };

/** What a configuration has to have of a rail. */
export type RailConfig<Name extends string> = { [S in Setting as `RAIL_${Name}_${S}`]: string };

/** The variables of the rail of this name, upper case: `railVariables('BANK_TRANSFER')`. */
export function railVariables<Name extends string>(name: Name): RailVariables<Name>;
// The names are computed, which the compiler follows in a type only: hence the declaration above.
export function railVariables(name: string): Record<string, Settings[Setting]> {
  return Object.fromEntries(Object.entries(settings).map(([setting, value]) => [variableOf(name, setting), value]));
}

/** How the rail is reached and what it knows us by. Throws ConfigError where its provider needs a variable that is not set. */
export function railFromConfig<Name extends string>(config: RailConfig<Name>, name: Name): SnapCredentials {
  const variables = new Map<string, unknown>(Object.entries(config));
  const rail = schema.parse(
    Object.fromEntries(RAIL_SETTINGS.map((setting) => [setting, variables.get(variableOf(name, setting))])),
  );
  const provider = findProvider(rail.PROVIDER) ?? aspi;
  const missing = neededOf(provider).filter((setting) => rail[setting] === '');
  if (missing.length > 0) {
    const why = `the provider ${provider.name} needs it`;
    throw new ConfigError(missing.map((setting) => `${variableOf(name, setting)} is not set; ${why}`));
  }
  return {
    url: rail.URL,
    provider,
    clientKey: rail.CLIENT_KEY,
    clientSecret: rail.CLIENT_SECRET,
    privateKey: Buffer.from(rail.PRIVATE_KEY, 'base64').toString(),
    partnerId: rail.PARTNER_ID,
    channelId: rail.CHANNEL_ID,
    tlsMin: rail.TLS_MIN,
  };
}

function neededOf({ signature, services: { accessTokenB2b: _, ...services } }: Provider) {
  const prescribesChannels = Object.values(services).every(({ channelId }) => channelId !== undefined);
  return [
    ...(signature === 'token' ? (['CLIENT_KEY', 'CLIENT_SECRET'] as const) : []),
    ...(prescribesChannels ? [] : (['CHANNEL_ID'] as const)),
  ];
}

function variableOf(name: string, setting: string): string {
  return `RAIL_${name}_${setting}`;
}
