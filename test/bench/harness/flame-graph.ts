import { z } from 'zod';

const frame = z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number().int() });

/**
 * What V8 writes into a .cpuprofile, as far as it is read here: a tree of calls, and which of them ran at each sample; times in
 * µs.
 */
export const cpuProfile = z.object({
  nodes: z.array(z.object({ id: z.number().int(), callFrame: frame, children: z.array(z.number().int()).default([]) })).min(1),
  samples: z.array(z.number().int()),
  timeDeltas: z.array(z.number()),
});

export type CpuProfile = z.infer<typeof cpuProfile>;
type Frame = z.infer<typeof frame>;
/** A call with all that it called; `micros` is its share of the processor's time. */
type Call = { frame: Frame; micros: number; callees: Call[] };

const WIDTH = 1_600;
const ROW = 17;
const HEAD = 30;
/** A rectangle narrower than this can't be seen. */
const NARROWEST = 0.4;
const LETTER = 6.6;
/** Time in which the process did nothing. */
const IDLE = new Set(['(idle)', '(root)']);

/**
 * A flame graph as one SVG: the outermost call on top, the width its share of the time in which the process worked. Names and
 * shares show on pointing.
 */
export function renderFlameGraph(profile: CpuProfile, title: string): string {
  const root = treeOf(profile);
  const shapes: string[] = [];
  let depthMax = 0;
  const draw = (call: Call, left: number, depth: number) => {
    const width = (call.micros / root.micros) * WIDTH;
    if (!(width >= NARROWEST)) return;
    depthMax = Math.max(depthMax, depth);
    if (depth > 0) shapes.push(shapeOf(call, { left, width, depth, share: call.micros / root.micros }));
    let next = left;
    for (const callee of call.callees.toSorted((a, b) => b.micros - a.micros)) {
      draw(callee, next, depth + 1);
      next += (callee.micros / root.micros) * WIDTH;
    }
  };
  draw(root, 0, 0);
  const height = HEAD + depthMax * ROW + ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="monospace" font-size="11">`,
    '<style>g:hover rect{stroke:#000}</style>',
    `<rect width="100%" height="100%" fill="#fff"/><text x="4" y="18" font-size="14">${escaped(title)}: ${seconds(root.micros)} s of work</text>`,
    ...shapes,
    '</svg>\n',
  ].join('\n');
}

/** The calls with their times; idle time is in none of them. */
export function treeOf({ nodes, samples, timeDeltas }: CpuProfile): Call {
  const own = new Map<number, number>();
  samples.forEach((id, index) => {
    // A clock that was set back makes a negative step.
    own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callOf = (id: number): Call => {
    const node = byId.get(id);
    if (node === undefined) throw new Error(`the profile has no node ${id}`);
    const callees = node.children.map(callOf);
    const self = IDLE.has(node.callFrame.functionName) ? 0 : (own.get(id) ?? 0);
    return { frame: node.callFrame, micros: callees.reduce((sum, callee) => sum + callee.micros, self), callees };
  };
  return callOf(nodes[0]?.id ?? 0);
}

/** The program that a profile is of, by the main module among its frames: `services/edge/src/main.ts` is edge. */
export function programOf({ nodes }: CpuProfile): string {
  for (const { callFrame } of nodes) {
    const program = /\/(?:services|packages)\/([^/]+)\/src\/main\.ts$/.exec(callFrame.url)?.[1];
    const script = /\/test\/bench\/floors\/([^/]+)\.ts$/.exec(callFrame.url)?.[1];
    if (program !== undefined || script !== undefined) return program ?? script ?? '';
  }
  return 'other';
}

function shapeOf({ frame, micros }: Call, at: { left: number; width: number; depth: number; share: number }): string {
  const name = frame.functionName || '(anonymous)';
  const place = frame.url === '' ? '' : ` ${frame.url.replace(/^.*\/node_modules\//, '')}:${frame.lineNumber + 1}`;
  const [x, y, width] = [at.left.toFixed(1), HEAD + (at.depth - 1) * ROW, Math.max(0.3, at.width - 0.5).toFixed(1)];
  const label = name.slice(0, Math.max(0, Math.floor((at.width - 4) / LETTER)));
  const told = `${name}${place} (${(at.share * 100).toFixed(1)} %, ${seconds(micros)} s)`;
  const text = label.length < 3 ? '' : `<text x="${(at.left + 3).toFixed(1)}" y="${y + 12}">${escaped(label)}</text>`;
  return `<g><title>${escaped(told)}</title><rect x="${x}" y="${y}" width="${width}" height="${ROW - 1}" fill="${colour(frame)}"/>${text}</g>`;
}

/** Ours, of libraries, of Node, of the engine. */
function colour({ url }: Frame): string {
  if (url.includes('/node_modules/')) return '#f4c56a';
  if (url.startsWith('file:')) return '#ee8866';
  return url.startsWith('node:') ? '#9fcfe8' : '#c9c9c9';
}

const seconds = (micros: number) => (micros / 1e6).toFixed(2);

const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
