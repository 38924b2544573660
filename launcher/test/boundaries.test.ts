import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPackageCycles, findViolations, importsOf, readSources } from '../boundaries.ts';

const check = (files: Record<string, string>) => findViolations(new Map(Object.entries(files)));

describe('imports', () => {
  test.each([
    [`import { a } from './a.ts';`, './a.ts', false],
    [`import type { A } from './a.ts';`, './a.ts', true],
    [`import {\n  a,\n  type B,\n} from "./a.ts";`, './a.ts', false],
    [`export * from './a.ts';`, './a.ts', false],
    [`export { a } from './a.ts';`, './a.ts', false],
    [`import './a.ts';`, './a.ts', false],
    [`const a = await import('./a.ts');`, './a.ts', false],
    [`import * as a from './a.ts';`, './a.ts', false],
  ])('are seen in %j', (text, name, types) => {
    expect(importsOf(text)).toEqual([{ name, types }]);
  });

  test('in comments and texts are none', () => {
    expect(importsOf(`// import { a } from './a.ts';\n/* import './b.ts' */\nconst text = 'x';`)).toEqual([]);
  });
});

describe('boundaries', () => {
  test.each([
    ['services/edge/src/app.ts', '@gerbang/store'],
    ['services/edge/src/app.ts', '@gerbang/bus'],
    ['services/ledger/src/rpc.ts', '@gerbang/testkit'],
    ['services/ledger/src/rpc.ts', '@gerbang/embedded-mongo'],
    ['services/ledger/src/rpc.ts', '../../merchant/src/rpc.ts'],
    ['services/ledger/test/rpc.test.ts', '../../merchant/src/rpc.ts'],
    ['packages/core/src/money.ts', '@gerbang/runtime'],
    ['packages/core/src/money.ts', 'mongodb'],
    ['packages/core/src/money.ts', 'node:fs'],
    ['packages/runtime/src/admin.ts', '@gerbang/rpc'],
    ['packages/store/src/index.ts', '@gerbang/bus'],
    ['packages/new/src/index.ts', '@gerbang/core'],
    ['launcher/start.ts', '@gerbang/store'],
    ['packages/neighbours/src/merchant-hints.ts', '@gerbang/bus'],
    ['packages/rpc/src/server.ts', '@gerbang/neighbours'],
    ['packages/runtime/src/admin.ts', '@gerbang/service'],
  ])('%s must not import %s', (file, imported) => {
    expect(check({ [file]: `import { a } from '${imported}';` })).toMatchObject([{ file, imported }]);
  });

  test.each(['@gerbang/runtime', '@gerbang/store', './store.ts', '../context.ts', 'node:fs', 'zod'])(
    'a decider must not import %s',
    (imported) => {
      const text = `import { a } from '${imported}';\nexport function decide() {}`;
      expect(check({ 'services/ledger/src/posting/posting.ts': text })).toHaveLength(1);
    },
  );

  test.each([
    ['services/edge/src/app.ts', '@gerbang/present'],
    ['services/edge/src/service.ts', '@gerbang/neighbours'],
    ['packages/neighbours/src/merchant-hints.ts', '@gerbang/bus/nats'],
    ['packages/service/src/store.ts', '@gerbang/store'],
    ['services/ledger/src/rpc.ts', '@gerbang/bus'],
    ['services/ledger/test/rpc.test.ts', '@gerbang/testkit'],
    ['services/ledger/src/posting/posting.test.ts', '@gerbang/testkit'],
    ['test/e2e/a.test.ts', '../../launcher/system.ts'],
    ['packages/core/src/id.ts', 'node:crypto'],
  ])('%s may import %s', (file, imported) => {
    expect(check({ [file]: `import { a } from '${imported}';` })).toEqual([]);
  });

  test('the edge must not load the driver of the database through a package either', () => {
    const edge = { 'services/edge/src/service.ts': `import { a } from '@gerbang/service';` };
    const hints = 'packages/service/src/index.ts';
    const relay = { 'packages/service/src/store.ts': `import { a } from 'mongodb';` };
    const found = check({ ...edge, ...relay, [hints]: `import { a } from './store.ts';` });
    expect(found).toEqual([
      { file: 'packages/service/src/store.ts', imported: 'mongodb', reason: 'services/edge would load it' },
    ]);
    expect(check({ ...edge, ...relay, [hints]: `import type { a } from './store.ts';` })).toEqual([]);
  });

  test('a cycle of files is named once with its path, of types too', () => {
    const a = 'services/ledger/src/a.ts';
    const b = 'services/ledger/src/b.ts';
    const reason = `a cycle: ${a} → ${b} → ${a}`;
    expect(check({ [a]: `import { b } from './b.ts';`, [b]: `export { a } from './a.ts';` })).toMatchObject([{ reason }]);
    expect(check({ [a]: `import { b } from './b.ts';`, [b]: `import type { a } from './a.ts';` })).toMatchObject([{ reason }]);
    expect(check({ [a]: `import type { b } from './b.ts';`, [b]: '' })).toEqual([]);
  });

  test('a cycle of packages is named, also where only tests need the other one', () => {
    const a = { name: '@gerbang/a', dependencies: { '@gerbang/b': 'workspace:*', zod: '^4' } };
    expect(findPackageCycles([a, { name: '@gerbang/b' }])).toEqual([]);
    expect(findPackageCycles([a, { name: '@gerbang/b', devDependencies: { '@gerbang/a': 'workspace:*' } }])).toMatchObject([
      { reason: 'a cycle: @gerbang/a → @gerbang/b → @gerbang/a' },
    ]);
  });

  test('the files of the repository are found', () => {
    const sources = readSources(path.resolve(import.meta.dirname, '../..'));
    expect(sources.has('launcher/boundaries.ts')).toBe(true);
    expect([...sources.keys()].filter((file) => file.startsWith('services/')).length).toBeGreaterThan(20);
  });
});
