import type {
  AcquirerChargeback,
  AuthorisationRequest,
  AuthorisationState,
  CardData,
  CardRail,
  ChargebackInquiry,
  FormField,
  InquiryResult,
} from '@gerbang/rails/card';

/** What the acquirer does. `lost`: it does it, and its answer never comes. `unsent`: it never gets it. */
export type Behaviour = 'takes' | 'refuses' | 'lost' | 'unsent';

type Held = {
  status: 'authorised' | 'captured' | 'voided' | 'refunded' | 'declined' | 'challenge' | 'pending';
  captures: number;
  voids: number;
  refunds: Set<string>;
};

const SILENT = { outcome: 'unknown', reason: 'no answer' } as const;
const REFUSED = { outcome: 'failed' as const, code: '05', reason: 'Do not honor' };
const DONE = { outcome: 'done' } as const;

/** An acquirer in memory. It authorises a reference once, and counts what has moved money. */
export function newAcquirer(given: Partial<Record<'authorise' | 'capture' | 'void' | 'refund', Behaviour>> = {}) {
  const behaviour = { ...given };
  const held = new Map<string, Held>();
  /** Every card that came, and with how many requests. */
  const cards: CardData[] = [];
  const asked: string[] = [];
  const requests: AuthorisationRequest[] = [];
  /** By their case ids; what the acquirer says of them when it is asked. */
  const cases = new Map<string, AcquirerChargeback>();
  const state = {
    isSilent: false,
    first: 'authorised' as Held['status'],
    fields: undefined as FormField[] | undefined,
    declineCode: REFUSED.code,
    /** Empty: the acquirer gives none. */
    networkTransactionId: 'ntid-1',
  };
  const answerOf = (held: Pick<Held, 'status'>) => answerWith(held, state);
  const answerTo = (how: Behaviour | undefined) => (how === 'lost' ? SILENT : how === 'refuses' ? REFUSED : DONE);
  const inquire = async ({ reference }: { reference: string }): Promise<InquiryResult> => {
    asked.push('inquire');
    if (state.isSilent) return SILENT;
    const found = held.get(reference);
    return found === undefined ? { outcome: 'not_found' } : answerOf(found);
  };
  const rail: CardRail = {
    async authorise(request, card) {
      const { reference } = request;
      asked.push('authorise');
      requests.push(request);
      cards.push(card);
      if (behaviour.authorise === 'unsent' || held.has(reference)) return SILENT;
      const status = behaviour.authorise === 'refuses' ? 'declined' : state.first;
      held.set(reference, { status, captures: 0, voids: 0, refunds: new Set() });
      return behaviour.authorise === 'lost' ? SILENT : answerOf({ status });
    },
    async capture({ reference }) {
      asked.push('capture');
      const found = held.get(reference);
      if (found?.status === 'captured') return DONE;
      if (found?.status !== 'authorised' || behaviour.capture === 'refuses') return REFUSED;
      Object.assign(found, { status: 'captured', captures: found.captures + 1 });
      return answerTo(behaviour.capture);
    },
    async void({ reference }) {
      asked.push('void');
      const found = held.get(reference);
      if (found?.status === 'voided') return DONE;
      const isOpen = found?.status === 'authorised' || found?.status === 'challenge';
      if (found === undefined || !isOpen || behaviour.void === 'refuses') return REFUSED;
      Object.assign(found, { status: 'voided', voids: found.voids + 1 });
      return answerTo(behaviour.void);
    },
    async refund({ reference, refundReference }) {
      asked.push('refund');
      const found = held.get(reference);
      if (found?.refunds.has(refundReference)) return DONE;
      if (found?.status !== 'captured' || behaviour.refund === 'refuses') return REFUSED;
      found.status = 'refunded';
      found.refunds.add(refundReference);
      return answerTo(behaviour.refund);
    },
    resolve: inquire,
    inquire,
    async inquireChargeback({ caseId }): Promise<ChargebackInquiry> {
      asked.push('inquireChargeback');
      if (state.isSilent) return SILENT;
      const chargeback = cases.get(caseId);
      return chargeback === undefined ? { outcome: 'not_found' } : { outcome: 'found', chargeback };
    },
    close: async () => {},
  };
  return { rail, cases, held, cards, asked, requests, state, behaviour };
}

type Told = { fields: FormField[] | undefined; declineCode: string; networkTransactionId: string };

function answerWith({ status }: Pick<Held, 'status'>, { fields, declineCode, networkTransactionId }: Told): AuthorisationState {
  switch (status) {
    case 'authorised':
      return {
        outcome: 'authorised',
        acquirerReference: 'a-1',
        approvalCode: '000001',
        authorisedAtMs: undefined,
        ...(networkTransactionId !== '' && { networkTransactionId }),
      };
    case 'captured':
      return { outcome: 'captured', acquirerReference: 'a-1' };
    case 'challenge':
      return { outcome: 'challenge', url: 'https://acs.example/', ...(fields && { fields }) };
    case 'declined':
      return { ...REFUSED, code: declineCode };
    case 'voided':
    case 'refunded':
    case 'pending':
      return { outcome: status };
    default:
      return status satisfies never;
  }
}
