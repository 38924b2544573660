import { keysShape } from '@gerbang/keys';
import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, ConfigError, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';
import { type KeepsAnswersOf, parseAnswerHosts } from './delivery/kept-answers.ts';

/** A service that publishes events, and where its gRPC answers. */
export type EventSource = { service: string; address: string };

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  /** For the tokens that the biller has sealed; needed where webhooks have some. */
  ...keysShape,
  RPC_PORT: env.port(9104),
  ADMIN_PORT: env.port(9204),
  MERCHANT_RPC: env.address(),
  /** The services whose events are consumed, `service=host:port`, more of them after commas. */
  EVENT_SOURCES: z
    .string()
    .regex(/^[a-z][a-z-]*=[^\s:,=]+:\d+(,[a-z][a-z-]*=[^\s:,=]+:\d+)*$/, 'expected service=host:port, more of them after commas')
    .optional(),
  /** Before EVENT_SOURCES there was one variable for each service; both are read where EVENT_SOURCES is absent. */
  MONEY_OUT_RPC: env.address().optional(),
  MONEY_IN_RPC: env.address().optional(),
  WEBHOOK_ALLOW_PRIVATE: env.flag(false),
  /** Whose answers the delivery log keeps; absent: all, but none in a sandbox that is not on its user's machine. */
  WEBHOOK_ALLOW_HOSTS: z
    .string()
    .transform((text, problem): KeepsAnswersOf => {
      const keeps = parseAnswerHosts(text);
      if (keeps !== undefined) return keeps;
      problem.addIssue('expected host names and addresses, *. before a name for all below it, separated by commas');
      return z.NEVER;
    })
    .optional(),
  WEBHOOK_ENDPOINT_CONCURRENCY: env.integer(8, 1),
  WEBHOOK_CONCURRENCY: env.integer(512, 1),
  WEBHOOK_METRICS_ENDPOINTS: env.integer(50, 0),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return {
    ...config,
    keepsAnswersOf: config.WEBHOOK_ALLOW_HOSTS ?? (isHostedSandbox(config) ? () => false : undefined),
    eventSources: eventSourcesOf(config),
    tls: tlsFromConfig(config),
  };
}

/** A sandbox on its user's own machine sends webhooks to private addresses; one for the public must not. */
function isHostedSandbox({ GERBANG_ENV, WEBHOOK_ALLOW_PRIVATE }: z.output<z.ZodObject<typeof shape>>): boolean {
  return GERBANG_ENV === 'sandbox' && !WEBHOOK_ALLOW_PRIVATE;
}

function eventSourcesOf({ EVENT_SOURCES, MERCHANT_RPC, MONEY_OUT_RPC, MONEY_IN_RPC }: z.output<z.ZodObject<typeof shape>>) {
  if (EVENT_SOURCES === undefined && (MONEY_OUT_RPC === undefined || MONEY_IN_RPC === undefined))
    throw new ConfigError(['EVENT_SOURCES is not set; it is required']);
  const text = EVENT_SOURCES ?? `money-out=${MONEY_OUT_RPC},money-in=${MONEY_IN_RPC},merchant=${MERCHANT_RPC}`;
  const sources = text.split(',').map((source): EventSource => {
    const [service = '', address = ''] = source.split('=');
    return { service, address };
  });
  const repeated = sources.find(({ service }, at) => sources.findIndex((other) => other.service === service) < at);
  if (repeated !== undefined) throw new ConfigError([`EVENT_SOURCES is not valid: it names ${repeated.service} twice`]);
  return sources;
}
