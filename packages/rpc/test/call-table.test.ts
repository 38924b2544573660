import { expect, test } from 'vitest';
import { CallTable } from '../src/lanes/call-table.ts';

test('holds what a Map would hold, whatever comes and goes in whatever order', () => {
  const table = new CallTable<{ id: number; turn: number }>();
  const map = new Map<number, { id: number; turn: number }>();
  const random = numbers();
  for (let turn = 0; turn < 50_000; turn++) {
    // Few ids, so that they collide, are taken twice and are deleted twice; now and then one from the end of their range.
    const id = random() < 0.01 ? 0xffff_ffff : Math.floor(random() * 700);
    if (random() < 0.5) {
      table.add({ id, turn });
      map.set(id, { id, turn });
    } else {
      table.delete(id);
      map.delete(id);
    }
    expect(table.size).toBe(map.size);
    expect(table.get(id)).toEqual(map.get(id));
  }
  expect(table.size).toBeGreaterThan(100);
  for (let id = 0; id < 700; id++) expect(table.get(id)).toEqual(map.get(id));
  expect(table.all().sort((a, b) => a.id - b.id)).toEqual([...map.values()].sort((a, b) => a.id - b.id));
});

test('ids that follow one another for long, with some that stay', () => {
  const table = new CallTable<{ id: number }>();
  const stay = Array.from({ length: 40 }, (_, index) => index * 1_000 + 1);
  for (let id = 1; id <= 40_000; id++) {
    table.add({ id });
    if (id > 60 && !stay.includes(id - 60)) table.delete(id - 60);
  }
  expect(table.all().map(({ id }) => id)).toEqual(expect.arrayContaining(stay));
  expect(table.size).toBe(stay.length + 60);
});

/** The same numbers from 0 to below 1 each time. */
function numbers(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
