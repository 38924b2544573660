import { expect, test } from 'vitest';
import { encodeCursor, findPage, type Page, readPage } from '../src/index.ts';

const letters = ['e', 'd', 'c', 'b', 'a'];
const find = async ({ limit, before }: Page) =>
  letters.filter((letter) => before === undefined || letter < before).slice(0, limit);

test('pages follow each other to the end, each item once', async () => {
  const seen: string[] = [];
  let cursor = '';
  do {
    const { items, nextCursor } = await findPage(readPage({ limit: 2, cursor }), find, (letter) => letter);
    expect(items.length).toBeLessThanOrEqual(2);
    seen.push(...items);
    cursor = nextCursor;
  } while (cursor !== '');
  expect(seen).toEqual(letters);
});

test('a page that ends with the list has no cursor', async () => {
  expect(await findPage(readPage({ limit: 5, cursor: '' }), find, (letter) => letter)).toEqual({
    items: letters,
    nextCursor: '',
  });
});

test.each([
  [0, 20],
  [-3, 1],
  [100, 100],
  [5_000, 100],
])('a limit of %d is %d', (limit, read) => {
  expect(readPage({ limit, cursor: '' })).toEqual({ limit: read, before: undefined });
});

test.each([
  ['no cursor at all', 'nonsense!'],
  ['the cursor of another list', encodeCursor('7')],
])('%s is a validation error of that field', (_name, cursor) => {
  expect(() => readPage({ limit: 1, cursor }, (key) => key.length > 1)).toThrowError(
    expect.objectContaining({ refusal: expect.objectContaining({ refused: 'validation' }) }),
  );
});
