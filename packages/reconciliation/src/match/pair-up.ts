import type { HistoryRow } from '@gerbang/rails';
import { align, type Edge } from './align.ts';
import { type Breather, createBreather } from './breather.ts';
import { beginningOf, type Clues, cluesOf, EVIDENCE, evidenceFor, type Remark, remarkOf } from './evidence.ts';
import type { OurPayment, Pair } from './payment.ts';

/**
 * How rows are compared with payments. `fits`: amount, direction and time; only those are compared of which it is true.
 * `groupOfOurs` and `groupOfRow`: what has to be the same, so that not everything is compared with everything. `byKeys`: only
 * what the remark identifies; else also rows whose remark says nothing of anyone.
 */
export type Comparison = {
  groupOfOurs(ours: OurPayment): string;
  groupOfRow(row: HistoryRow): string;
  fits(ours: OurPayment, row: HistoryRow): boolean;
  byKeys: boolean;
};

/** Pairs, and who has lost a row or a payment to another one that fits it no better. */
export type Paired = { pairs: Pair[]; rivals: Rival[] };

/** `loser` stays without a partner; the partner of `winner` would have fitted it as well. */
export type Rival = { loser: OurPayment | HistoryRow; winner: Pair };

/** Of alike candidates those are compared that are nearest in time. */
const CANDIDATES_MAX = 64;
/** Two candidates fit equally well when the times differ by no more. */
const EQUALLY_NEAR_MS = 60_000;

type Candidate = Edge & { evidence: number };
type Prepared = {
  ours: { payment: OurPayment; clues: Clues }[];
  rows: { row: HistoryRow; remark: Remark }[];
};

/**
 * Pairs payments with rows, one to one: the better the evidence the earlier; payments that are done before open ones, and those
 * before ones that have failed; among equals as many as can be, and the nearest in time. It pauses often: a million rows take
 * minutes.
 */
export async function pairUp(ours: readonly OurPayment[], rows: readonly HistoryRow[], comparison: Comparison): Promise<Paired> {
  const breathe = createBreather();
  const groups = new Map<string, { ours: OurPayment[]; rows: HistoryRow[] }>();
  const groupOf = (name: string) => {
    const known = groups.get(name) ?? { ours: [], rows: [] };
    groups.set(name, known);
    return known;
  };
  for (const payment of ours) groupOf(comparison.groupOfOurs(payment)).ours.push(payment);
  for (const row of rows) {
    const group = groups.get(comparison.groupOfRow(row));
    group?.rows.push(row);
  }
  const paired: Paired = { pairs: [], rivals: [] };
  for (const group of groups.values()) {
    if (group.rows.length === 0) continue;
    const found = await pairGroup(await prepare(group.ours, group.rows, breathe), comparison, breathe);
    paired.pairs = paired.pairs.concat(found.pairs);
    paired.rivals = paired.rivals.concat(found.rivals);
  }
  return paired;
}

async function prepare(ours: OurPayment[], rows: HistoryRow[], breathe: Breather): Promise<Prepared> {
  const prepared: Prepared = { ours: [], rows: [] };
  for (const payment of ours.sort((a, b) => a.fromMs - b.fromMs)) {
    prepared.ours.push({ payment, clues: cluesOf(payment) });
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  for (const row of rows.sort((a, b) => a.atMs - b.atMs)) {
    prepared.rows.push({ row, remark: remarkOf(row) });
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  return prepared;
}

/** Whose turn it is: a failed payment takes a row only where the remark names it. */
const TURNS = [
  { standings: ['done', 'returned'], isNamed: true },
  { standings: ['open'], isNamed: true },
  { standings: ['not-done'], isNamed: true },
  { standings: ['done', 'returned'], isNamed: false },
  { standings: ['open'], isNamed: false },
] as const;

async function pairGroup(prepared: Prepared, comparison: Comparison, breathe: Breather): Promise<Paired> {
  // A spread into push has every candidate on the stack, which is too small for some thousand payments that are alike.
  const candidates = (await named(prepared, comparison, breathe)).concat(
    comparison.byKeys ? [] : await unnamed(prepared, comparison, breathe),
  );
  const taken = { ours: new Set<number>(), rows: new Set<number>() };
  const paired: Paired = { pairs: [], rivals: [] };
  const isFree = ({ ours, row }: Edge) => !taken.ours.has(ours) && !taken.rows.has(row);
  for (const { standings, isNamed } of TURNS) {
    const ofTurn = candidates.filter(({ ours, evidence }) => {
      const standing = prepared.ours[ours]?.payment.standing;
      return evidence >= EVIDENCE.cutKey === isNamed && standings.some((one) => one === standing);
    });
    for (const level of [...new Set(ofTurn.map(({ evidence }) => evidence))].sort((a, b) => b - a)) {
      const open = ofTurn.filter((edge) => edge.evidence === level && isFree(edge));
      const aligned = await align(open, breathe);
      for (const edge of aligned) {
        taken.ours.add(edge.ours);
        taken.rows.add(edge.row);
        paired.pairs.push(pairOf(prepared, edge));
      }
      paired.rivals = paired.rivals.concat(rivalsOf(prepared, open, aligned));
    }
  }
  return paired;
}

/** Those whose remark names the payment. */
async function named({ ours, rows }: Prepared, { fits }: Comparison, breathe: Breather): Promise<Candidate[]> {
  const byWord = new Map<string, number[]>();
  const add = (word: string | undefined, place: number) => {
    if (word === undefined || word === '') return;
    const known = byWord.get(word);
    if (known === undefined) byWord.set(word, [place]);
    else if (known.at(-1) !== place) known.push(place);
  };
  for (const [place, { clues }] of ours.entries()) {
    add(clues.railReference, place);
    for (const key of clues.keys) {
      add(key, place);
      add(cutName(beginningOf(key)), place);
    }
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  const found: Candidate[] = [];
  for (const [place, { row, remark }] of rows.entries()) {
    const words =
      remark.ourReference === ''
        ? [remark.railTransactionId, ...remark.words, cutName(beginningOf(remark.last))]
        : [remark.ourReference];
    const near = new Set(words.flatMap((word) => nearest(ours, byWord.get(word ?? '') ?? [], row)));
    for (const one of near) found.push(...candidate(ours[one], one, { row, remark, place }, fits, EVIDENCE.cutKey));
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  return found;
}

/** The beginning of a key is looked up apart from whole keys. */
function cutName(beginning: string | undefined): string | undefined {
  return beginning && `${beginning}…`;
}

/** Those whose remark names no one. */
async function unnamed({ ours, rows }: Prepared, { fits }: Comparison, breathe: Breather): Promise<Candidate[]> {
  const places = ours.map((_, place) => place);
  const found: Candidate[] = [];
  for (const [place, { row, remark }] of rows.entries()) {
    const near = nearest(ours, places, row).flatMap((one) => candidate(ours[one], one, { row, remark, place }, fits, 0));
    found.push(...near.filter(({ evidence, distanceMs }) => evidence < EVIDENCE.cutKey && distanceMs <= UNNAMED_TOLERANCE_MS));
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  return found;
}

/** Where only amount and time speak for a row, the time has to be this near. */
const UNNAMED_TOLERANCE_MS = 600_000;

function candidate(
  of: Prepared['ours'][number] | undefined,
  ours: number,
  { row, remark, place }: { row: HistoryRow; remark: Remark; place: number },
  fits: Comparison['fits'],
  evidenceMin: number,
): Candidate[] {
  if (of === undefined || !fits(of.payment, row)) return [];
  const evidence = evidenceFor(of.clues, remark);
  if (evidence === undefined || evidence < evidenceMin) return [];
  return [{ ours, row: place, evidence, distanceMs: Math.abs(row.atMs - of.payment.fromMs) }];
}

/** The places of the payments nearest in time; `places` are in the order of time. */
function nearest(ours: Prepared['ours'], places: readonly number[], row: HistoryRow): readonly number[] {
  if (places.length <= CANDIDATES_MAX) return places;
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ours[places[middle] ?? 0]?.payment.fromMs ?? 0) < row.atMs) low = middle + 1;
    else high = middle;
  }
  const first = Math.max(0, Math.min(low - CANDIDATES_MAX / 2, places.length - CANDIDATES_MAX));
  return places.slice(first, first + CANDIDATES_MAX);
}

/** Who was left over at this level, although a pair has a partner that would have fitted it equally well. */
function rivalsOf(prepared: Prepared, open: readonly Candidate[], aligned: readonly Edge[]): Rival[] {
  const byOurs = new Map(aligned.map((edge) => [edge.ours, edge]));
  const byRow = new Map(aligned.map((edge) => [edge.row, edge]));
  return open.flatMap((edge) => {
    const [ofOurs, ofRow] = [byOurs.get(edge.ours), byRow.get(edge.row)];
    const winner = ofOurs ?? ofRow;
    if (winner === undefined || (ofOurs !== undefined && ofRow !== undefined)) return [];
    if (Math.abs(winner.distanceMs - edge.distanceMs) > EQUALLY_NEAR_MS) return [];
    const loser = ofOurs === undefined ? prepared.ours[edge.ours]?.payment : prepared.rows[edge.row]?.row;
    return loser === undefined ? [] : [{ loser, winner: pairOf(prepared, winner) }];
  });
}

function pairOf({ ours, rows }: Prepared, edge: Edge): Pair {
  const [payment, row] = [ours[edge.ours]?.payment, rows[edge.row]?.row];
  if (payment === undefined || row === undefined) throw new Error('a pair of what is not there');
  return { ours: payment, row };
}
