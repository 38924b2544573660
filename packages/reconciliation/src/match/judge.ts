import type { HistoryRow } from '@gerbang/rails';
import type { OurPayment } from './payment.ts';

/**
 * What can differ. `missing-at-rail`: we say that it moved, and the rail has no row. `missing-here`: the rail has a row that we
 * know nothing of. `amount`: the same payment with another amount. `status`: one side says that it moved, the other that it did
 * not or that it came back. `ambiguous`: one side has one more of several that are alike, and it is not certain which.
 */
export const DIFFERENCE_KINDS = ['missing-at-rail', 'missing-here', 'amount', 'status', 'ambiguous'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** A payment with what the rail has of it. */
export type Compared = {
  ours: OurPayment;
  paid: HistoryRow | undefined;
  correction: HistoryRow | undefined;
  canceled: HistoryRow | undefined;
};

/** `open`: it is not known yet on our side, and there is time. */
export type Verdict = 'same' | 'open' | { kind: DifferenceKind; reason: string };

/** What is to be said of a payment whose amount the rail has not contradicted. */
export function judge({ ours, paid, correction, canceled }: Compared, nowMs: number): Verdict {
  const atRail = paid === undefined ? 'nothing' : correction === undefined ? 'paid' : 'returned';
  switch (ours.standing) {
    case 'done':
      if (correction !== undefined) return { kind: 'status', reason: 'the rail has taken it back' };
      if (atRail === 'paid') return 'same';
      if (canceled !== undefined) return { kind: 'status', reason: 'the rail says that it was canceled' };
      return { kind: 'missing-at-rail', reason: 'the rail has no row of it' };
    case 'open': {
      if (nowMs < ours.openUntilMs) return 'open';
      const said = { nothing: 'has no row of it', paid: 'has moved it', returned: 'has moved it and taken it back' }[atRail];
      return { kind: 'status', reason: `it is still ${ours.status} here, and the rail ${said}` };
    }
    case 'not-done':
      if (atRail !== 'paid') return 'same';
      return { kind: 'status', reason: `it is ${ours.status} here, and the rail has moved it` };
    case 'returned':
      if (atRail !== 'paid') return 'same';
      return { kind: 'status', reason: `it is ${ours.status} here, and the rail has not taken it back` };
    default:
      return ours.standing satisfies never;
  }
}
