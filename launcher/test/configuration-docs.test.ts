import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { keysShape } from '@gerbang/keys';
import { settlementShape } from '@gerbang/neighbours';
import { PROVIDER_NAMES, RAIL_SETTINGS } from '@gerbang/rails';
import { busShape, commonShape, listenerShape, rpcShape, storeShape } from '@gerbang/runtime';
import { describe, expect, test } from 'vitest';
import { COMMAND_VARIABLES } from '../cli/config.ts';
import { PORTS, SERVICES } from '../services.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const documented = sections(read('docs/configuration.md'));
const shared = new Set(
  [commonShape, rpcShape, storeShape, busShape, keysShape, settlementShape].flatMap((shape) => Object.keys(shape)),
);
/** Between the bootstrap and the launcher, or the surroundings' own. */
const NOT_SETTINGS = new Set(['PATH', 'INIT_CWD', 'GERBANG_PARENT_FD']);

/** Each heading's rows: variable → the rest of its row. */
function sections(markdown: string): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  let rows = new Map<string, string>();
  for (const line of markdown.split('\n')) {
    const heading = /^#+ (.+)$/.exec(line)?.[1];
    if (heading !== undefined) {
      rows = new Map();
      found.set(heading, rows);
    }
    const row = /^\| `([A-Z][A-Z0-9_]+)` *\|(.*)$/.exec(line);
    if (row !== null) rows.set(row[1] ?? '', row[2] ?? '');
  }
  return found;
}

function listed(heading: string): string[] {
  return [...(documented.get(heading)?.keys() ?? [])].sort();
}

/** Where a service declares its rails: in files of their own. */
const railFiles = (service: string) => globSync(`services/${service}/src/**/{rail,rails}.ts`, { cwd: root });

/** The names of the rails whose variables a service reads. */
function ownRails(service: string): string[] {
  const texts = globSync(`services/${service}/src/**/*.ts`, { cwd: root }).map(read);
  return texts.flatMap((text) => [...text.matchAll(/\brailVariables\('(\w+)'\)/g)].map((match) => match[1] ?? ''));
}

/** Names that a file imports may look like variables. */
const withoutImports = (text: string) => text.replaceAll(/^import \{[^}]*\} from .*;$/gm, '');

/** The variables that a service's config.ts names, and the files of its rails, without those that services share. */
function ownVariables(service: string): string[] {
  const texts = [`services/${service}/src/config.ts`, ...railFiles(service)].map(read).map(withoutImports);
  const names = texts.flatMap((text) => [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]+)[:,]/gm)].map((match) => match[1] ?? ''));
  return names.filter((name) => !shared.has(name)).sort();
}

describe('docs/configuration.md lists exactly what is read', () => {
  test.each([
    ['Every service', commonShape],
    ['gRPC', rpcShape],
    ['HTTP listeners', listenerShape],
    ['Database', storeShape],
    ['Events', busShape],
    ['Keys', keysShape],
    ['Settlement', settlementShape],
  ])('%s', (heading, shape) => {
    expect(listed(heading)).toEqual(Object.keys(shape).sort());
  });

  test.each(readdirSync(path.join(root, 'services')))('service %s', (service) => {
    const own = ownVariables(service);
    expect(own.length).toBeGreaterThan(2);
    expect(listed(service)).toEqual(own);
  });

  test('rails, their variables and providers', () => {
    expect(listed('Rails')).toEqual([...RAIL_SETTINGS].sort());
    const services = readdirSync(path.join(root, 'services'));
    const found = services.flatMap((service) => ownRails(service).map((rail) => [rail, service] as const));
    expect(listed('Names of rails')).toEqual(found.map(([rail]) => rail).toSorted());
    for (const [rail, service] of found) expect(documented.get('Names of rails')?.get(rail), rail).toContain(` ${service} `);
    const [, providers = ''] = read('docs/configuration.md').split('#### Providers');
    for (const provider of PROVIDER_NAMES) expect(providers).toContain(`| \`${provider}\` `);
  });

  test('the operators’ commands', () => {
    expect(listed("Operators' commands")).toEqual([...COMMAND_VARIABLES].sort());
  });

  test('the ports, with their defaults', () => {
    expect(listed('Ports')).toEqual([...Object.keys(PORTS), 'GERBANG_PORT_OFFSET'].sort());
    for (const [variable, { standard }] of Object.entries(PORTS))
      expect(documented.get('Ports')?.get(variable)).toContain(` ${standard} `);
  });

  test('services have the ports of the launcher’s table by default', () => {
    for (const { name, adminPort, ...row } of SERVICES) {
      const table = documented.get(name);
      expect(table?.get('ADMIN_PORT'), name).toContain(` ${adminPort} `);
      if ('rpcPort' in row) expect(table?.get('RPC_PORT'), name).toContain(` ${row.rpcPort} `);
    }
  });

  test('every service has a row in the launcher’s table', () => {
    expect(SERVICES.map(({ name }) => name).toSorted()).toEqual(readdirSync(path.join(root, 'services')).sort());
  });

  test('the launcher', () => {
    // The packages under node_modules link to each other, and a walk into them finds no end.
    const sources = globSync('**/*.{ts,mjs}', {
      cwd: path.join(root, 'launcher'),
      exclude: ['**/node_modules/**', '**/*.test.ts'],
    });
    const files = sources.map((file) => read(path.join('launcher', file)));
    const names = files.flatMap((text) =>
      [...text.matchAll(/\bprocess\.env\.([A-Z][A-Z0-9_]+)/g)].map((match) => match[1] ?? ''),
    );
    expect(listed('Launcher')).toEqual([...new Set(names)].filter((name) => !NOT_SETTINGS.has(name)).sort());
  });
});
