import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { elsewhere, refused } from './restrictions/all.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

/** The rows of the README's table: restriction, code, test. */
const written = readme
  .slice(readme.indexOf('## Restrictions of MongoDB'))
  .split('\n')
  .filter((line) => /^\|.*\| +\d+ +\|/.test(line))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(/\\(.)/g, '$1')))
  .map(([, title, code, where]) => `${title} | ${code} | ${where}`);

const tested = [
  ...Object.entries(refused).flatMap(([area, rows]) => rows.map(([title, code]) => `${title} | ${code} | ${area}`)),
  ...elsewhere.map(([title, code, file]) => `${title} | ${code} | ${file}`),
];

test('each restriction in the README is tested, and each that is tested stands in the README', () => {
  expect(written.toSorted()).toEqual(tested.toSorted());
});

test('no two restrictions have one title', () => {
  const titles = [...Object.values(refused).flat(), ...elsewhere].map(([title]) => title);
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
});

test.each(elsewhere)('%s is tested where the README says', (_title, code, file, name) => {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  expect(text).toContain(`test('${name}'`);
  expect(text).toContain(String(code));
});
