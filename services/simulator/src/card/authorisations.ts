import { randomInt } from 'node:crypto';
import { type Clock, newUlid } from '@gerbang/core';
import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import type { Seed } from './three-ds/seed.ts';

/** Why an authorisation was declined, by the issuer's response code (ISO 8583, field 39). */
export type Decline = { code: string; reason: string };

/** The 3DS of an authorisation that needs the customer, or an authentication out of band. */
export type Authentication = {
  threeDSServerTransID: string;
  dsTransID: string;
  acsTransID: string;
  /** open: the result message is awaited. */
  status: 'open' | 'passed' | 'failed';
  isDecoupled: boolean;
  expiresAtMs: number;
  /** Out of band: when the customer agrees. */
  agreesAtMs?: number;
  /** What the ACS does with it; none in what older programs have stored. */
  seed?: Seed;
};

/** An authorisation in the acquirer's books, as it stands now in business time. Of the card it has the mask only. */
export type Authorisation = {
  /** The gateway's. */
  reference: string;
  acquirerReference: string;
  approvalCode: string;
  amountSen: bigint;
  maskedCard: string;
  issuer: string;
  merchantName: string;
  returnUrl: string;
  /** What the issuer says, once it has been asked and has thought about it. */
  decline: Decline | undefined;
  answersAtMs: number;
  authentication: Authentication | undefined;
  capturedAtMs: number | undefined;
  voidedAtMs: number | undefined;
  refund: { reference: string; atMs: number } | undefined;
  /** `merchant`: of a card that was kept, without its customer. None in what older programs have stored. */
  initiatedBy?: 'customer' | 'merchant';
  /** That of the first charge where a merchant refers to it, else its own. */
  networkTransactionId?: string;
  /** Absent where there are none. */
  chargebacks?: readonly Chargeback[];
};

/** What the card holder disputes. `amountSen`: text, since it is stored as JSON. */
export type Chargeback = {
  caseId: string;
  amountSen: string;
  reason: string;
  reasonCode: string;
  stage: 'chargeback' | 'pre-arbitration';
  atMs: number;
  isWithdrawn: boolean;
};

export type Status = 'authorised' | 'captured' | 'voided' | 'refunded' | 'challenge' | 'pending' | 'declined';

/** The acquirer's books; durable. A reference is authorised once. */
export type Authorisations = {
  /** False where the reference is taken. */
  add(authorisation: Authorisation): Promise<boolean>;
  find(reference: string): Promise<Authorisation | undefined>;
  findByAcsTransId(acsTransId: string): Promise<Authorisation | undefined>;
  /** Changes what is there as long as no one else has; `decide` gives undefined to leave it. Undefined: unknown. */
  change(reference: string, decide: (current: Authorisation) => Authorisation | undefined): Promise<Authorisation | undefined>;
  all(): AsyncIterable<Authorisation>;
};

type StoredDocument = { _id: string; schema: number; version: number; acs_trans_id: string; fields: string };

const COLLECTION = 'card_authorisations';
export const NEVER = Number.MAX_SAFE_INTEGER;

export async function openAuthorisations(store: Store): Promise<Authorisations> {
  const collection = store.collection<StoredDocument>(COLLECTION);
  await collection.createIndex({ acs_trans_id: 1 }, { name: 'acs' });
  const findDocument = async (filter: { _id: string } | { acs_trans_id: string }) =>
    (await traced('findOne', COLLECTION, () => collection.findOne(filter, { readConcern: 'linearizable' }))) ?? undefined;
  return {
    async add(authorisation) {
      try {
        await traced('insertOne', COLLECTION, () =>
          collection.insertOne({ _id: authorisation.reference, schema: 1, version: 0, ...toFields(authorisation) }),
        );
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(reference) {
      const found = await findDocument({ _id: reference });
      return found && fromFields(found.fields);
    },
    async findByAcsTransId(acsTransId) {
      const found = acsTransId === '' ? undefined : await findDocument({ acs_trans_id: acsTransId });
      return found && fromFields(found.fields);
    },
    async change(reference, decide) {
      for (;;) {
        const document = await findDocument({ _id: reference });
        if (document === undefined) return undefined;
        const current = fromFields(document.fields);
        const changed = decide(current);
        if (changed === undefined) return current;
        const { _id, version } = document;
        const set = { ...toFields(changed), version: version + 1 };
        const { modifiedCount } = await collection.updateOne({ _id, version }, { $set: set });
        if (modifiedCount === 1) return changed;
      }
    },
    async *all() {
      for await (const { fields } of collection.find({}, { sort: { _id: 1 } })) yield fromFields(fields);
    },
  };
}

/** How an authorisation stands, by business time. */
export function statusOf(authorisation: Authorisation, nowMs: number): Status {
  const { authentication, decline, voidedAtMs, refund, capturedAtMs, answersAtMs } = authorisation;
  if (refund !== undefined) return 'refunded';
  if (voidedAtMs !== undefined) return 'voided';
  if (capturedAtMs !== undefined) return 'captured';
  if (authentication?.status === 'failed') return 'declined';
  if (authentication?.status === 'open') {
    if (!hasAgreed(authentication, nowMs)) {
      if (nowMs >= authentication.expiresAtMs) return 'declined';
      return authentication.isDecoupled ? 'pending' : 'challenge';
    }
  }
  if (nowMs < answersAtMs) return 'pending';
  return decline === undefined ? 'authorised' : 'declined';
}

/** Out of band, in the issuer's app. */
function hasAgreed({ agreesAtMs = NEVER }: Authentication, nowMs: number): boolean {
  return nowMs >= agreesAtMs;
}

/** Why it is declined. */
export function declineOf({ authentication, decline }: Authorisation, nowMs: number): Decline {
  if (authentication !== undefined && authentication.status !== 'passed' && !hasAgreed(authentication, nowMs))
    return { code: '3DS', reason: 'The customer was not authenticated' };
  return decline ?? { code: '05', reason: 'Do not honor' };
}

export function newAcquirerReference(clock: Clock): string {
  return newUlid(clock.now());
}

/** As a card network numbers transactions: 15 digits. */
export function newNetworkTransactionId(): string {
  return String(randomInt(10 ** 14)).padStart(15, '0');
}

function toFields(authorisation: Authorisation): { acs_trans_id: string; fields: string } {
  const { amountSen, ...rest } = authorisation;
  const fields = JSON.stringify({ ...rest, amountSen: amountSen.toString() });
  return { acs_trans_id: authorisation.authentication?.acsTransID ?? '', fields };
}

function fromFields(fields: string): Authorisation {
  const { amountSen, ...rest }: Omit<Authorisation, 'amountSen'> & { amountSen: string } = JSON.parse(fields);
  return { ...rest, amountSen: BigInt(amountSen) };
}
