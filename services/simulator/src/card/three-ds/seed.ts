import { z } from 'zod';
import { TRANS_STATUS } from './messages.ts';

/** What the ACS does with a card, and how it misbehaves; left out: as it should. */
export const seedSchema = z.strictObject({
  /** Of the ARes; C: a challenge, D: out of band. */
  trans_status: z.enum(TRANS_STATUS).optional(),
  /** Before the ARes, real time. */
  delay_ms: z.number().int().min(0).max(60_000).optional(),
  /** The directory answers the AReq with an error message (Erro). */
  error: z.boolean().optional(),
  /** The challenge is begun by POST only. */
  by_post: z.boolean().optional(),
  /** Of the result message of a challenge, with any OTP. */
  result: z.enum(['Y', 'N', 'U']).optional(),
  /**
   * How the result message comes. forged: of another transaction; repeated: twice; contradicted: a second one says the opposite; lost:
   * never.
   */
  rreq: z.enum(['once', 'forged', 'repeated', 'contradicted', 'lost']).optional(),
  /** What the browser brings back. contradicting: the opposite of the result; foreign: of another transaction; none: nothing. */
  cres: z.enum(['true', 'contradicting', 'foreign', 'none']).optional(),
  /** Out of band the customer agrees after this long, business time; left out: never. */
  agrees_ms: z.number().int().min(0).max(600_000).optional(),
  /** The same as `rreq` forged. */
  tampered: z.boolean().optional(),
});
export type Seed = z.output<typeof seedSchema>;

/**
 * Test cards of 3DS. Those with a four-digit end below 3000 are known from other sandboxes. Whatever a control sets for every card comes
 * before them.
 */
const THREE_DS_CARDS: Readonly<Record<string, Seed>> = {
  '4000000000002701': { trans_status: 'Y' },
  '4000000000002719': { trans_status: 'A' },
  '4000000000002313': { trans_status: 'U' },
  '4000000000002925': { trans_status: 'N' },
  '4000000000002537': { trans_status: 'R' },
  '4000000000002354': { trans_status: 'Y', delay_ms: 4_000 },
  '4000000000002446': { error: true },
  '4000000000002503': { trans_status: 'C' },
  '4000000000002370': { trans_status: 'C', result: 'N' },
  '4000000000002420': { trans_status: 'C', result: 'U' },
  '4000000000002644': { trans_status: 'C', rreq: 'lost' },
  '4000000000003006': { trans_status: 'D', agrees_ms: 5_000 },
  '4000000000003014': { trans_status: 'D' },
  '4000000000003022': { trans_status: 'C', by_post: true },
  '4000000000003030': { trans_status: 'C', rreq: 'forged' },
  '4000000000003048': { trans_status: 'C', rreq: 'repeated' },
  '4000000000003055': { trans_status: 'C', rreq: 'contradicted' },
  '4000000000003063': { trans_status: 'C', cres: 'contradicting' },
  '4000000000003071': { trans_status: 'C', cres: 'foreign' },
  '4000000000003089': { trans_status: 'C', cres: 'none' },
};

/** What the ACS does with this card. */
export function seedOf(current: Seed, acctNumber: string): Seed {
  const ofCard = Object.hasOwn(THREE_DS_CARDS, acctNumber) ? THREE_DS_CARDS[acctNumber] : {};
  return { ...ofCard, ...current, ...(current.tampered && { rreq: 'forged' }) };
}
