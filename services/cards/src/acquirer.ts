import { readFileSync } from 'node:fs';
import { type CardRail, openIso8583CardRail, openRestCardRail } from '@gerbang/rails/card';
import type { LinkTls } from '@gerbang/rails/iso8583';
import { ConfigError, type Logger } from '@gerbang/runtime';
import type { Config } from './config.ts';

/** The adapter of the configured acquirer. Throws ConfigError where a file of it can't be read. */
export function openAcquirer({ acquirer }: Config, log: Logger): CardRail {
  switch (acquirer.kind) {
    case 'rest':
      return openRestCardRail(acquirer);
    case 'iso8583':
      return openIso8583CardRail({ ...acquirer, tls: acquirer.tls && readTls(acquirer.tls), log });
    default:
      return acquirer satisfies never;
  }
}

type Files = Extract<Config['acquirer'], { kind: 'iso8583' }>['tls'] & {};

function readTls({ minVersion, ca, cert, key }: Files): LinkTls {
  return {
    minVersion: `TLSv${minVersion}`,
    ...(ca !== undefined && { ca: read('CARD_ISO8583_TLS_CA', ca) }),
    ...(cert !== undefined && { cert: read('CARD_ISO8583_TLS_CERT', cert) }),
    ...(key !== undefined && { key: read('CARD_ISO8583_TLS_KEY', key) }),
  };
}

function read(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError([`${variable} is not valid: the file cannot be read`]);
  }
}
