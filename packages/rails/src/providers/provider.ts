import { ConfigError } from '@gerbang/runtime';
import type { EwalletTopupChannel } from '../ewallet-topup/channels.ts';
import type { Treatment } from '../treatment.ts';
import { type ServiceName, SNAP_SERVICES } from './services.ts';

/** A service at a provider: what is different there from one provider to another. */
export type ServiceProfile = {
  /** From the root of the provider's address. */
  path: string;
  /** Where it is not POST. */
  method?: 'GET' | 'PUT' | 'DELETE';
  /** CHANNEL-ID, where the provider prescribes one for the service; a rail's own setting goes before it. */
  channelId?: string;
  /** The most digits that X-EXTERNAL-ID may have, where fewer than SNAP's 36; or that it is a UUID. */
  externalId?: { digitsMax: number } | 'uuid';
  /** Fields that every request has in additionalInfo. */
  additionalInfo?: Readonly<Record<string, string>>;
  /** HTTP status and case (`40300`) of answers that mean something else here than they do for SNAP. */
  treatments?: Readonly<Record<string, Treatment>>;
};

/** A provider of rails. What is different from another provider is a value here; clients have no branch by a provider's name. */
export type Provider = {
  name: string;
  /** `token`: an access token, and HMAC with our client secret. `own-key`: no token, and our private key signs every request. */
  signature: 'token' | 'own-key';
  services: Readonly<Partial<Record<ServiceName, ServiceProfile>>>;
  bankTransfer?: {
    /** How it wants beneficiaries' banks named. */
    bankCode: 'national' | 'swift';
    /**
     * The bank's own national code, where transfers within it take services 15 and 17: the transfer then has the reference of an
     * inquiry before it. Absent: 16 and 18 serve every bank.
     */
    ownBankCode?: string;
    /** It wants our account named, by so many digits. */
    sourceAccountDigits?: number;
  };
  ewalletTopup?: {
    /** Whose wallets it tops up. `several`: requests name the wallet in additionalInfo. */
    wallet: EwalletTopupChannel | 'several';
  };
  history?: {
    /** The shortest period that it lists, milliseconds; an hour where absent. */
    sliceMs: number;
  };
  qris?: {
    /** How long a code may live, milliseconds; absent: as long as is asked. */
    validityMs?: { min: number; max: number };
  };
};

/** A SNAP service as a client calls it. */
export type SnapService = ServiceProfile & { code: string };

/** The service at the provider. Throws ConfigError where the provider does not have it: it is not one for this rail. */
export function serviceOf(provider: Provider, name: ServiceName): SnapService {
  const service = findService(provider, name);
  if (service === undefined) {
    throw new ConfigError([`the provider ${provider.name} has no service ${SNAP_SERVICES[name].code} (${name})`]);
  }
  return service;
}

/** The same, undefined where the provider does not have it. */
export function findService(provider: Provider, name: ServiceName): SnapService | undefined {
  const service = provider.services[name];
  return service && { ...service, code: SNAP_SERVICES[name].code };
}
