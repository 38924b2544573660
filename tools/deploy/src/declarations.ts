import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SERVICES } from '../../../launcher/services.ts';

/** What is read of an `Implementation` of packages/rpc. */
type Served = { desc: { methods: { localName: string }[] }; callers: (method: string) => readonly string[] | undefined };

const root = path.resolve(import.meta.dirname, '../../..');

/**
 * Who may call whom, from the services' own lists of callers, as `caller → called`; `cli` is the operators' commands. Those of
 * the services that publish events, whose confirmations and timelines packages add to the lists, included.
 */
export async function arrowsInCode(): Promise<string[]> {
  const arrows = new Set<string>();
  for (const row of SERVICES) {
    const file = path.join(root, 'services', row.name, 'src/rpc.ts');
    const lists: Served[] = existsSync(file) ? (await import(file)).implementations({}) : [];
    // Handlers take what they are given only when they are called.
    if ('aggregates' in row) lists.push(...(await eventLists()));
    for (const { desc, callers } of lists)
      for (const { localName } of desc.methods)
        for (const caller of callers(localName) ?? []) arrows.add(`${caller} → ${row.name}`);
  }
  return [...arrows].sort();
}

/** What every service that publishes events serves besides its own. */
async function eventLists(): Promise<Served[]> {
  const { implementEventSource } = await import(path.join(root, 'packages/bus/src/event-source.ts'));
  const { implementForOperators } = await import(path.join(root, 'packages/service/src/operators.ts'));
  const { TimelineService } = await import(path.join(root, 'packages/proto/src/gerbang/events/v1/events_pb.js'));
  const timeline = implementForOperators({}, TimelineService, { listEvents: { roles: [], handler: () => ({}) } });
  return [implementEventSource({ collection: () => ({}) }, [], {}), timeline];
}

/** Names that a service's configuration begins with, read from its sources: the only places that read the environment. */
export function configurationOf(service: string): { uses: (shape: string) => boolean; rails: string[]; optionalRails: string[] } {
  const files = globSync(`services/${service}/src/**/*.ts`, { cwd: root, exclude: ['**/*.test.ts'] });
  const texts = files.map((file) => readFileSync(path.join(root, file), 'utf8'));
  const config = readFileSync(path.join(root, 'services', service, 'src/config.ts'), 'utf8');
  const declared = texts.flatMap((text) => [...text.matchAll(/^ {2}RAIL_([A-Z_]+?)(?<!_HISTORY)_URL: (.*)$/gm)]);
  const named = texts.flatMap((text) => [...text.matchAll(/\brailVariables\('(\w+)'\)/g)].map(([, name = '']) => name));
  const isOptional = (text = '') => text.includes('.optional()');
  return {
    uses: (shape) => config.includes(`...${shape}`),
    rails: [...named, ...declared.flatMap(([, name = '', text]) => (isOptional(text) ? [] : [name]))].sort(),
    optionalRails: declared.flatMap(([, name = '', text]) => (isOptional(text) ? [name] : [])).sort(),
  };
}
