import { CARD } from './card-method.ts';
import { type SessionDetails, withDeclined } from './session.ts';

/** So many cards may be declined in a session; then it offers its other methods. */
export const ATTEMPTS_MAX = 5;

type Details = Pick<SessionDetails, 'card'>;

/** Whether a try is the next one of a session; the one before it must have been declined. */
export function isNext({ card }: Details, attempt: number): boolean {
  return attempt === (card?.attempt ?? 0) + 1 && (card === undefined || card.status === 'declined');
}

/** Whether the payment is that of the session's try, and nothing has been decided about it. */
export function isOpen({ card }: Details, paymentId: string): boolean {
  return card?.paymentId === paymentId && card.status === 'open';
}

/** Whether the payment counts, or did before it was taken back. */
export function isAccepted({ card }: Details, paymentId: string): boolean {
  return card?.paymentId === paymentId && card.status === 'accepted';
}

/** The details once the payment of the session's open try counts; undefined where that is known, or it is another one's. */
export function withAccepted(details: SessionDetails, paymentId: string): SessionDetails | undefined {
  const { card } = details;
  if (card === undefined || !isOpen(details, paymentId)) return undefined;
  return { ...details, card: { ...card, status: 'accepted' } };
}

/** The details once the payment of the session's open try was declined; the last try ends the method. Undefined as above. */
export function withDeclinedCard(details: SessionDetails, paymentId: string): SessionDetails | undefined {
  const { card } = details;
  if (card === undefined || !isOpen(details, paymentId)) return undefined;
  const after: SessionDetails = { ...details, card: { ...card, status: 'declined' } };
  return card.attempt < ATTEMPTS_MAX ? after : (withDeclined(after, CARD) ?? after);
}
