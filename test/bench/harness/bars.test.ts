import { expect, test } from 'vitest';
import { type Bar, type FigureOf, isBounded, judge, missedBy } from './bars.ts';

const round =
  (figures: Record<string, number>): FigureOf =>
  (name) =>
    figures[name] ?? Number.NaN;

const rounds = [
  { 'floor.perSecond': 100, 'subject.perSecond': 60 },
  { 'floor.perSecond': 200, 'subject.perSecond': 80 },
  { 'floor.perSecond': 100, 'subject.perSecond': 50 },
].map(round);

test('a ratio is taken within each round, and its median is judged', () => {
  const bar: Bar = { name: 'ratio', figure: 'subject.perSecond', over: 'floor.perSecond', min: 0.5 };
  expect(judge(bar, rounds)).toEqual({ ...bar, value: { median: 0.5, min: 0.4, max: 0.6 }, held: true });
});

test('a difference is taken within each round', () => {
  const bar: Bar = { name: 'more', figure: 'subject.perSecond', less: 'floor.perSecond', max: -100 };
  expect(judge(bar, rounds)).toMatchObject({ value: { median: -50, min: -120, max: -40 }, held: false });
});

test.each<[Partial<Bar>, boolean]>([
  [{ min: 60 }, true],
  [{ min: 60.1 }, false],
  [{ max: 60 }, true],
  [{ max: 59.9 }, false],
  [{ min: 50, max: 70 }, true],
  [{}, true],
])('60 within %j: %s', (bounds, held) => {
  expect(judge({ name: 'plain', figure: 'subject.perSecond', ...bounds }, rounds).held).toBe(held);
});

test('what nobody has measured is not held, unless nothing is asked of it', () => {
  const missing: Bar = { name: 'missing', figure: 'nobody.perSecond' };
  expect(judge({ ...missing, min: 0 }, rounds).held).toBe(false);
  expect(judge({ ...missing, max: 0 }, rounds).held).toBe(false);
  expect(judge(missing, rounds).held).toBe(true);
  expect(missedBy(judge({ ...missing, min: 1 }, rounds))).toBeNaN();
});

test('a bar is missed by a share of its bound', () => {
  const at = (bounds: Partial<Bar>) => missedBy(judge({ name: 'plain', figure: 'subject.perSecond', ...bounds }, rounds));
  expect(at({ min: 80 })).toBeCloseTo(0.25);
  expect(at({ max: 40 })).toBeCloseTo(0.5);
  expect(at({ min: 60 })).toBe(0);
});

test('a bar without bounds can not fail', () => {
  expect(isBounded({ name: 'told', figure: 'x' })).toBe(false);
  expect(isBounded({ name: 'asked', figure: 'x', max: 1 })).toBe(true);
});
