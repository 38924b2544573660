import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CALLING_RAILS, type CallingRail } from '@gerbang/core';
import { z } from 'zod';

/**
 * A bank, acquirer, wallet or chain that may call us, and how it proves that it is the one. The algorithm is ours to say, never
 * the caller's.
 */
export type RailPartner = {
  /** Its X-PARTNER-ID. */
  partnerId: string;
  /** Its X-CLIENT-KEY, where it asks for access tokens. */
  clientKey: string;
  rail: CallingRail;
  /** Short names of the banks that it speaks for; empty = all. */
  bankCodes: string[];
  /** The chains that it speaks for; empty = all. */
  retailCodes: string[];
  proof:
    | { algorithm: 'RSA-SHA256'; publicKey: KeyObject }
    /** The key signs requests for access tokens, the secret signs transactions (SNAP, symmetric signature). */
    | { algorithm: 'HMAC-SHA512'; publicKey: KeyObject; clientSecret: string };
};

export type RailPartners = { byPartnerId: ReadonlyMap<string, RailPartner>; byClientKey: ReadonlyMap<string, RailPartner> };

const RSA_BITS_MIN = 2_048;
const SECRET_LENGTH_MIN = 32;

const id = z.string().regex(/^[A-Za-z0-9_-]{1,36}$/, 'expected 1 to 36 letters, digits, _ and -');
const publicKey = z.string().transform((pem, problem) => {
  const key = readRsaKey(pem);
  if (key !== undefined) return key;
  problem.addIssue(`expected an RSA public key of ${RSA_BITS_MIN} bits or more, in PEM`);
  return z.NEVER;
});
const base = {
  partner_id: id,
  /** That of X-PARTNER-ID unless told. */
  client_key: id.optional(),
  rail: z.enum(CALLING_RAILS),
  bank_codes: z.array(z.string().min(1)).default([]),
  retail_codes: z.array(z.string().min(1)).default([]),
  public_key: publicKey,
};
const partner = z.discriminatedUnion('signature', [
  z.strictObject({ ...base, signature: z.literal('RSA-SHA256') }),
  z.strictObject({ ...base, signature: z.literal('HMAC-SHA512'), client_secret: z.string().min(SECRET_LENGTH_MIN) }),
]);
const file = z.strictObject({ partners: z.array(partner) });

/** No rail at all: every call is unauthorized. */
export const NO_PARTNERS = toPartners([]);

/**
 * Reads the file that names the rails. Undefined when it can't be read, with `problem` told which field is wrong and never what
 * is in it.
 */
export function readPartners(path: string, problem: (text: string) => void): RailPartners | undefined {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    problem('the file can not be read as JSON');
    return undefined;
  }
  const parsed = file.safeParse(json);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) problem(`${issue.path.map(String).join('.')}: ${issue.message}`);
    return undefined;
  }
  const partners = parsed.data.partners.map(
    (one): RailPartner => ({
      partnerId: one.partner_id,
      clientKey: one.client_key ?? one.partner_id,
      rail: one.rail,
      bankCodes: one.bank_codes,
      retailCodes: one.retail_codes,
      proof:
        one.signature === 'RSA-SHA256'
          ? { algorithm: one.signature, publicKey: one.public_key }
          : { algorithm: one.signature, publicKey: one.public_key, clientSecret: one.client_secret },
    }),
  );
  const known = toPartners(partners);
  if (known.byPartnerId.size === partners.length && known.byClientKey.size === partners.length) return known;
  problem('partners: a partner_id or client_key is there twice');
  return undefined;
}

function toPartners(partners: readonly RailPartner[]): RailPartners {
  return {
    byPartnerId: new Map(partners.map((one) => [one.partnerId, one])),
    byClientKey: new Map(partners.map((one) => [one.clientKey, one])),
  };
}

function readRsaKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= RSA_BITS_MIN ? key : undefined;
  } catch {
    return undefined;
  }
}
