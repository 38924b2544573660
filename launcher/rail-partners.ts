import path from 'node:path';
import { CALLING_RAILS, type CallingRail } from '@gerbang/core';
import { replaceFile } from './data-folder.ts';
import type { Secrets } from './secrets.ts';

/** Retail signs symmetrically, so that a sandbox shows both ways. */
export const SANDBOX_HMAC_RAIL = 'retail';

/** By which the edge knows the sandbox's rail. */
export function sandboxPartnerId(rail: CallingRail): string {
  return `sandbox-${rail}`;
}

/** Writes the file by which the edge knows the rails (mode 0600), and gives its path. The simulator is all of them. */
export function writeRailPartners(folder: string, { rails }: Secrets): string {
  const file = path.join(folder, 'rail-partners.json');
  const publicKey = Buffer.from(rails.publicKey, 'base64').toString();
  const partners = CALLING_RAILS.map((rail) => ({
    partner_id: sandboxPartnerId(rail),
    rail,
    public_key: publicKey,
    ...(rail === SANDBOX_HMAC_RAIL
      ? { signature: 'HMAC-SHA512', client_secret: rails.clientSecret }
      : { signature: 'RSA-SHA256' }),
  }));
  replaceFile(file, `${JSON.stringify({ partners }, undefined, 2)}\n`);
  return file;
}

/** The variables by which a service reaches rails of the sandbox, by the middle of their names: BANK_TRANSFER. */
export function sandboxRails(rails: readonly string[], url: string, { rail: credentials }: Secrets): Record<string, string> {
  const variablesOf = (rail: string) => ({
    [`RAIL_${rail}_URL`]: url,
    [`RAIL_${rail}_CLIENT_KEY`]: credentials.clientKey,
    [`RAIL_${rail}_CLIENT_SECRET`]: credentials.clientSecret,
    [`RAIL_${rail}_PRIVATE_KEY`]: credentials.privateKey,
    [`RAIL_${rail}_PARTNER_ID`]: 'gerbang',
    [`RAIL_${rail}_CHANNEL_ID`]: '95221',
    // The sandbox calls our accounts as their rails.
    [`RAIL_${rail}_HISTORY_ACCOUNT`]: rail.toLowerCase().replaceAll('_', '-'),
  });
  return Object.assign({}, ...rails.map(variablesOf));
}
