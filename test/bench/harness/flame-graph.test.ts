import { expect, test } from 'vitest';
import { type CpuProfile, cpuProfile, programOf, renderFlameGraph, treeOf } from './flame-graph.ts';

const call = (id: number, functionName: string, children: number[] = [], url = 'file:///gerbang/services/edge/src/app.ts') => ({
  id,
  callFrame: { functionName, url, lineNumber: 11 },
  children,
});

/** 100 µs of which 40 are idle, 20 are of `outer` itself and 40 of `inner`, which it calls. */
const profile: CpuProfile = {
  nodes: [call(1, '(root)', [2, 3], ''), call(2, '(idle)', [], ''), call(3, 'outer', [4]), call(4, 'inner<T>')],
  samples: [2, 3, 4, 4],
  timeDeltas: [40, 20, 30, 10],
};

test('a call has its own time and that of all it calls; idle time counts for nobody', () => {
  const [idle, outer] = treeOf(profile).callees;
  expect(idle?.micros).toBe(0);
  expect(outer?.micros).toBe(60);
  expect(outer?.callees[0]?.micros).toBe(40);
  expect(treeOf(profile).micros).toBe(60);
});

test('a clock that was set back takes no time away', () => {
  expect(treeOf({ ...profile, timeDeltas: [40, -20, 30, 10] }).micros).toBe(40);
});

test('the graph draws each call below its caller, as wide as its share', () => {
  const svg = renderFlameGraph(profile, 'edge & co');
  expect(svg).toContain('edge &#38; co');
  expect(svg).toContain('outer file:///gerbang/services/edge/src/app.ts:12 (100.0 %, 0.00 s)');
  expect(svg).toContain('inner&#60;T&#62; file:///gerbang/services/edge/src/app.ts:12 (66.7 %');
  expect(svg).not.toContain('(idle)');
  const rectangles = [...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/g)].map((match) =>
    match.slice(1).map(Number),
  );
  expect(rectangles).toEqual([
    [0, 30, 1599.5],
    [0, 47, 1066.2],
  ]);
});

test('a call too narrow to be seen is left out', () => {
  const svg = renderFlameGraph({ ...profile, timeDeltas: [40, 1_000_000, 1, 1] }, 'edge');
  expect(svg).toContain('outer');
  expect(svg).not.toContain('inner');
});

test.each([
  ['file:///gerbang/services/edge/src/main.ts', 'edge'],
  ['file:///gerbang/packages/embedded-mongo/src/main.ts', 'embedded-mongo'],
  ['file:///gerbang/test/bench/floors/fastify-server.ts', 'fastify-server'],
  ['file:///gerbang/launcher/guard.mjs', 'other'],
])('the program of %s is %s', (url, program) => {
  expect(programOf({ ...profile, nodes: [...profile.nodes, call(5, '', [], url)] })).toBe(program);
});

test('leaves come without children, and what is no profile is refused', () => {
  const [leaf] = cpuProfile.parse({ ...profile, nodes: [{ id: 1, callFrame: profile.nodes[0]?.callFrame }] }).nodes;
  expect(leaf?.children).toEqual([]);
  expect(() => cpuProfile.parse({ nodes: [] })).toThrow();
});
