import type { Breather } from './breather.ts';

/** A payment and a row that may be each other, by their places in two lists, and how far they are apart. */
export type Edge = { ours: number; row: number; distanceMs: number };

/** Larger groups are paired in the order of time, which is as good where all of them are paired. */
const CELLS_MAX = 250_000;

/**
 * Pairs as many as can be, one to one, and of all such pairings one that keeps the order of time with the least distance in all.
 * Both lists are numbered in the order of time.
 */
export async function align(edges: readonly Edge[], breathe: Breather): Promise<Edge[]> {
  const aligned: Edge[][] = [];
  for (const component of await componentsOf(edges, breathe)) {
    aligned.push(alignComponent(component));
    await breathe();
  }
  return aligned.flat();
}

/** The edges by what is connected through them. */
async function componentsOf(edges: readonly Edge[], breathe: Breather): Promise<Edge[][]> {
  const parents = new Map<string, string>();
  const rootOf = (node: string): string => {
    let root = node;
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root)) root = parent;
    parents.set(node, root);
    return root;
  };
  for (const { ours, row } of edges) {
    parents.set(rootOf(`o${ours}`), rootOf(`r${row}`));
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  const components = new Map<string, Edge[]>();
  for (const edge of edges) {
    const root = rootOf(`o${edge.ours}`);
    const known = components.get(root);
    if (known === undefined) components.set(root, [edge]);
    else known.push(edge);
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  return [...components.values()];
}

function alignComponent(edges: readonly Edge[]): Edge[] {
  const ours = sortedOf(edges.map((edge) => edge.ours));
  const rows = sortedOf(edges.map((edge) => edge.row));
  return (ours.length + 1) * (rows.length + 1) > CELLS_MAX ? inOrder(edges) : leastDistance(edges, ours, rows);
}

type Cell = { count: number; distanceMs: number };

/** Each cell has the best pairing of the first payments with the first rows. */
function leastDistance(edges: readonly Edge[], ours: readonly number[], rows: readonly number[]): Edge[] {
  const byPlace = new Map(edges.map((edge) => [`${edge.ours}:${edge.row}`, edge]));
  const width = rows.length + 1;
  const cells: Cell[] = Array.from({ length: (ours.length + 1) * width }, () => ({ count: 0, distanceMs: 0 }));
  const at = (i: number, j: number): Cell => cells[i * width + j] ?? { count: 0, distanceMs: 0 };
  const edgeAt = (i: number, j: number) => byPlace.get(`${ours[i - 1]}:${rows[j - 1]}`);
  for (let i = 1; i <= ours.length; i++) {
    for (let j = 1; j <= rows.length; j++) {
      const edge = edgeAt(i, j);
      const skipped = better(at(i - 1, j), at(i, j - 1));
      cells[i * width + j] = edge === undefined ? skipped : better(withEdge(at(i - 1, j - 1), edge), skipped);
    }
  }
  const paired: Edge[] = [];
  for (let i = ours.length, j = rows.length; i > 0 && j > 0; ) {
    const edge = edgeAt(i, j);
    if (edge !== undefined && isSame(at(i, j), withEdge(at(i - 1, j - 1), edge))) {
      paired.push(edge);
      i--;
      j--;
    } else if (isSame(at(i, j), at(i - 1, j))) i--;
    else j--;
  }
  return paired.reverse();
}

function inOrder(edges: readonly Edge[]): Edge[] {
  const taken = { ours: new Set<number>(), rows: new Set<number>() };
  const paired: Edge[] = [];
  for (const edge of edges.toSorted((a, b) => a.row - b.row || a.ours - b.ours)) {
    if (taken.ours.has(edge.ours) || taken.rows.has(edge.row)) continue;
    taken.ours.add(edge.ours);
    taken.rows.add(edge.row);
    paired.push(edge);
  }
  return paired;
}

function withEdge({ count, distanceMs }: Cell, edge: Edge): Cell {
  return { count: count + 1, distanceMs: distanceMs + edge.distanceMs };
}

/** The first one where both are as good. */
function better(a: Cell, b: Cell): Cell {
  if (a.count !== b.count) return a.count > b.count ? a : b;
  return a.distanceMs <= b.distanceMs ? a : b;
}

function isSame(a: Cell, b: Cell): boolean {
  return a.count === b.count && a.distanceMs === b.distanceMs;
}

function sortedOf(places: readonly number[]): number[] {
  return [...new Set(places)].sort((a, b) => a - b);
}
