import type { EventType } from '@gerbang/present';
import type { PaidNumber, Payment } from '../payment/order.ts';
import type { Question, Rail } from '../rail/rail.ts';
import type { Method } from './method.ts';
import type { ReversedStatus } from './payment-request.ts';
import type { Details, PaymentRequest } from './request.ts';

/**
 * A kind of payment request: everything that the shared code has to know of it. Kinds are pure and decide nothing about money;
 * each stands in a folder of its own and is listed once, in kinds.ts. What is optional most kinds do without.
 */
export type Kind = {
  /** In ids, documents and types of events. */
  name: string;
  /** What merchants have, pay fees for and see in settlements. */
  product: string;
  /** Its details as they are stored. */
  codec: { toDocument(details: Details): Details; fromDocument(document: Details): Details };
  /** The events that it publishes of a request, by what has happened to it. */
  events: Readonly<Partial<Record<EventName, EventType<'money-in'>>>>;
  /** Of an event that says how a request now stands. `parent`: as it then stands, where the kind has one. */
  eventPayload(request: PaymentRequest, about: { nowMs: number; parent: PaymentRequest | undefined }): Uint8Array;
  /**
   * What a payment is charged for: the product, and its bank, e-wallet or chain by the API's own code. `hasFee`: of the merchant.
   */
  chargedAs(request: PaymentRequest, hasFee: (product: string) => boolean): { product: string; channel: string };
  /** What customers see on the bill of a number; absent or empty: what the parent says. */
  nameOnBill?(request: PaymentRequest): string;
  /** The rail that brings its money, and the method by which others are paid as it is. */
  rail?: Rail;
  method?: Method;
  /** The request that a rail's reference names; undefined where it is none of this kind. */
  idOfReference?(rail: string, reference: string): string | undefined;
  /** What the rails that hold it can be asked before it expires; absent where no rail holds it. */
  heldBy?(request: PaymentRequest): readonly Question[];
  /**
   * A rail has declined what it was to be paid by, and it stays open otherwise: its details then, undefined where that is known.
   * Absent: it fails.
   */
  declined?(details: Details, reference: string): Details | undefined;
  /** Tips, which come on top of what it asks for; absent: none are taken. */
  tips?: {
    fits(request: PaymentRequest, tipSen: bigint): boolean;
    /** What of an amount, told without its tip, is the tip. */
    within(request: PaymentRequest, amountSen: bigint): bigint;
  };
  /**
   * Each payment is a resource of its own, with an event of its own; absent: the request is paid once and shows its payment
   * itself.
   */
  ownPayments?: {
    numberOf(request: PaymentRequest): PaidNumber;
    paidEvent(payment: Payment): { type: EventType<'money-in'>; payload: Uint8Array };
  };
  /** The request whose use its payment takes too, and to which it gives that use back when it ends unpaid. */
  parentIdOf?(request: PaymentRequest): string;
  /** It expires though uses of it are under way. */
  expiresInUse?: boolean;
  /** How it stands once its rail has taken the money back; absent where no rail of it does that. */
  statusWhenReversed?: ReversedStatus;
};

/** What can happen to a payment request and is published. */
export type EventName = 'opened' | 'changed' | 'paid' | 'expired' | 'deleted' | 'failed' | 'reversed';

/** The kinds that there are. */
export type Kinds = {
  /** Throws for a name that no kind has. */
  of(name: string): Kind;
  ofRequest(request: Pick<PaymentRequest, 'details'>): Kind;
  /** By the id of a request, "<kind>:<ULID>". */
  ofId(requestId: string): Kind;
  /** The request that a rail's reference names; undefined where it names none. */
  idOfReference(rail: string, reference: string): string | undefined;
  /** Rails with the products that their money is of, should it match nothing. */
  rails: readonly (Rail & { product: string })[];
  methods: readonly Method[];
};

export function openKinds(kinds: readonly Kind[], methods: readonly Method[]): Kinds {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const of = (name: string): Kind => {
    const kind = byName.get(name);
    if (kind === undefined) throw new Error(`${name} is no kind of payment request`);
    return kind;
  };
  return {
    of,
    ofRequest: ({ details }) => of(details.kind),
    ofId: (requestId) => of(requestId.split(':', 1)[0] ?? ''),
    idOfReference(rail, reference) {
      for (const kind of kinds) {
        const id = kind.idOfReference?.(rail, reference);
        if (id !== undefined) return id;
      }
      return undefined;
    },
    rails: kinds.flatMap(({ rail, product }) => (rail === undefined ? [] : [{ ...rail, product }])),
    methods,
  };
}

/** A rail by its name; undefined for one that brings no money in. */
export function railOf({ rails }: Kinds, name: string): (Rail & { product: string }) | undefined {
  return rails.find((rail) => rail.name === name);
}
