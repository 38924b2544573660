import { createHash } from 'node:crypto';

/** A history that the sandbox tells, as reconciliation calls the rail; our account there has the same name. */
export type HistoryName = string;

/** From one moment of business time to another, the second one not included. */
export type Between = { fromMs: number; toMs: number };

/** A movement as the rail tells it: it knows no reference of its partner. */
export type Row = {
  /** Names it to the controls, and is the rail's own transaction id: always the same for a movement. */
  id: string;
  /** Business time. */
  atMs: number;
  amountSen: bigint;
  /** As the money moves for the partner. */
  direction: 'in' | 'out';
  /** `correction` takes an earlier movement back; `open` and `canceled` moved nothing. */
  status: 'booked' | 'correction' | 'open' | 'canceled';
  remark: string;
};

/** Banks cut what they say; where, differs. */
const REMARK_LENGTH_MAX = 40;

/** A row of what `source` names; `words` make its remark, cut as a bank cuts it. */
export function newRow(source: string, words: readonly string[], row: Omit<Row, 'id' | 'remark'>): Row {
  const id = createHash('sha256').update(source).digest('hex').slice(0, 20).toUpperCase();
  const remark = words
    .filter((word) => word !== '')
    .join(' ')
    .slice(0, REMARK_LENGTH_MAX)
    .trim();
  return { id, remark, ...row };
}
