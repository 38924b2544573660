import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findViolations, importsOf, readSources } from '../boundaries.ts';

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
    ['services/edge/src/service.ts', '@gerbang/bus/merchant-hints'],
    ['services/ledger/src/rpc.ts', '@gerbang/bus'],
    ['services/ledger/test/rpc.test.ts', '@gerbang/testkit'],
    ['services/ledger/src/posting/posting.test.ts', '@gerbang/testkit'],
    ['test/e2e/a.test.ts', '../../launcher/system.ts'],
    ['packages/core/src/id.ts', 'node:crypto'],
  ])('%s may import %s', (file, imported) => {
    expect(check({ [file]: `import { a } from '${imported}';` })).toEqual([]);
  });

  test('the edge must not load the driver of the database through a package either', () => {
    const edge = { 'services/edge/src/service.ts': `import { a } from '@gerbang/bus/merchant-hints';` };
    const hints = 'packages/bus/src/merchant-hints.ts';
    const relay = { 'packages/bus/src/relay.ts': `import { a } from 'mongodb';` };
    const found = check({ ...edge, ...relay, [hints]: `import { a } from './relay.ts';` });
    expect(found).toEqual([{ file: 'packages/bus/src/relay.ts', imported: 'mongodb', reason: 'services/edge would load it' }]);
    expect(check({ ...edge, ...relay, [hints]: `import type { a } from './relay.ts';` })).toEqual([]);
  });

  test('a cycle of files is named once; one of types alone is none', () => {
    const a = 'services/ledger/src/a.ts';
    const b = 'services/ledger/src/b.ts';
    const cycle = check({ [a]: `import { b } from './b.ts';`, [b]: `export { a } from './a.ts';` });
    expect(cycle).toMatchObject([{ reason: `a cycle: ${a} → ${b} → ${a}` }]);
    expect(check({ [a]: `import { b } from './b.ts';`, [b]: `import type { a } from './a.ts';` })).toEqual([]);
  });

  test('the files of the repository are found', () => {
    const sources = readSources(path.resolve(import.meta.dirname, '../..'));
    expect(sources.has('launcher/boundaries.ts')).toBe(true);
    expect([...sources.keys()].filter((file) => file.startsWith('services/')).length).toBeGreaterThan(20);
  });
});
