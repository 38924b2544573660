import type { PaymentOrder, PaymentState } from './state.ts';

/** What money-in was told of a payment for a session of a payment link, and has acknowledged. `refused`: it takes no such success. */
export type Told = 'paid' | 'settled' | 'failed' | 'refused';

type Standing = Exclude<Told, 'refused'>;

/**
 * What money-in is yet to be told; undefined for nothing. A success is told before it is captured, so that one that the session
 * does not take is only voided.
 */
export function untold({
  order,
  state,
  told,
}: {
  order: PaymentOrder;
  state: PaymentState;
  told: Told | undefined;
}): Standing | undefined {
  if (order.link === undefined || told === 'refused') return undefined;
  const standing = standingOf(state);
  return standing === told ? undefined : standing;
}

/** Undefined while its outcome is open; a cancel that is under way may still be refused. */
function standingOf(state: PaymentState): Standing | undefined {
  switch (state.status) {
    case 'created':
    case 'authorising':
    case 'challenging':
    case 'voiding':
      return undefined;
    case 'authorised':
    case 'capturing':
      return 'paid';
    case 'crediting':
    case 'captured':
    case 'settling':
    case 'settled':
    case 'reserving':
    case 'refunding':
    case 'returning':
    case 'withdrawing':
    case 'contested':
    case 'written-off':
      return state.capture.settledAtMs === undefined ? 'paid' : 'settled';
    case 'cancelled':
    case 'refunded':
    case 'failed':
    case 'releasing':
    case 'withdrawn':
      return 'failed';
    default:
      return state satisfies never;
  }
}
