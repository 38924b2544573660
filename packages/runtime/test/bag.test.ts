import { expect, test } from 'vitest';
import { Bag } from '../src/index.ts';

const item = (name: string) => ({ name, place: -1 });
const names = (bag: Bag<ReturnType<typeof item>>) => [...bag].map(({ name }) => name).sort();

test('what enters is there until it leaves, in any order', () => {
  const bag = new Bag<ReturnType<typeof item>>();
  const [a, b, c, d] = [item('a'), item('b'), item('c'), item('d')];
  for (const each of [a, b, c, d]) bag.add(each);
  expect(bag.delete(b)).toBe(true);
  expect(names(bag)).toEqual(['a', 'c', 'd']);
  expect(bag.delete(d)).toBe(true);
  expect(bag.delete(c)).toBe(true);
  expect(bag.delete(a)).toBe(true);
  expect([bag.size, a.place, b.place, c.place, d.place]).toEqual([0, -1, -1, -1, -1]);
});

test('what is not there does not leave, twice or from another bag', () => {
  const [bag, other] = [new Bag<ReturnType<typeof item>>(), new Bag<ReturnType<typeof item>>()];
  const [a, b] = [item('a'), item('b')];
  bag.add(a);
  other.add(b);
  expect(bag.delete(b)).toBe(false);
  expect(bag.delete(a)).toBe(true);
  expect(bag.delete(a)).toBe(false);
  expect([names(bag), names(other)]).toEqual([[], ['b']]);
});

test('what has left, or was cleared out, may enter again', () => {
  const bag = new Bag<ReturnType<typeof item>>();
  const [a, b] = [item('a'), item('b')];
  bag.add(a);
  bag.add(b);
  bag.clear();
  expect([bag.size, a.place, b.place]).toEqual([0, -1, -1]);
  bag.add(b);
  bag.add(a);
  expect(names(bag)).toEqual(['a', 'b']);
});
