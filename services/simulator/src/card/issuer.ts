import type { Forced } from '../bank-transfer/beneficiary.ts';
import type { Decline } from './authorisations.ts';

/** What the issuer does with a card: whether it wants the customer authenticated, and what it then says, after how long. */
export type Verdict = {
  challenges: boolean;
  decline: Decline | undefined;
  /** Business time. */
  afterMs: number;
  /** The acquirer keeps silent, and has it all the same. */
  isSilent: boolean;
};

const PENDING_MS = 5_000;
const DO_NOT_HONOR: Decline = { code: '05', reason: 'Do not honor' };
const INSUFFICIENT_FUNDS: Decline = { code: '51', reason: 'Insufficient funds' };

const APPROVED: Verdict = { challenges: false, decline: undefined, afterMs: 0, isSilent: false };

/** The test cards of contract §7. */
const TEST_CARDS: Readonly<Record<string, Partial<Verdict>>> = {
  '4811111111111114': { challenges: true },
  '4911111111111113': { challenges: true, decline: DO_NOT_HONOR },
  '4411111111111118': {},
  '4472429869996670': { decline: INSUFFICIENT_FUNDS },
  '4024007176265022': { afterMs: PENDING_MS },
};

/** By the rail's forced outcome, else by the card: any other number is approved without 3DS (contract §7). */
export function verdictOf(number: string, forced: Forced): Verdict {
  switch (forced) {
    case 'success':
      return APPROVED;
    case 'failed':
      return { ...APPROVED, decline: DO_NOT_HONOR };
    case 'timeout':
      return { ...APPROVED, afterMs: PENDING_MS, isSilent: true };
    case undefined:
      return { ...APPROVED, ...(Object.hasOwn(TEST_CARDS, number) ? TEST_CARDS[number] : {}) };
    default:
      return forced satisfies never;
  }
}

/** Issuers by their BINs, of six or eight digits: the longest one counts. */
const ISSUERS: Readonly<Record<string, string>> = {
  '481111': 'BANK SANDBOX SATU',
  '48111111': 'BANK SANDBOX SATU PRIORITY',
  '491111': 'BANK SANDBOX DUA',
  '441111': 'BANK SANDBOX TIGA',
  '44111122': 'BANK SANDBOX EMPAT',
};

export function issuerOf(number: string): string {
  return ISSUERS[number.slice(0, 8)] ?? ISSUERS[number.slice(0, 6)] ?? 'BANK SANDBOX';
}
