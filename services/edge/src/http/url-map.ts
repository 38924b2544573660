import type { Envelope } from './envelope.ts';
import { v1 } from './envelope-v1.ts';
import { v2 } from './envelope-v2.ts';
import type { Route } from './route.ts';

/** What is known of a path: which methods it has and in which envelope it answers. `unknown`: that of a path which is none. */
export type UrlMap = {
  find(path: string): { methods: string[]; envelope: Envelope } | undefined;
  unknown(path: string): Envelope;
};

/** For what the router found nothing for: tells a wrong method (405) from an unknown path (404). */
export function createUrlMap(routes: readonly Route[], unknown: (path: string) => Envelope): UrlMap {
  const byPath = new Map<string, { pattern: RegExp; methods: string[]; envelope: Envelope }>();
  for (const { path, method, envelope } of routes) {
    const entry = byPath.get(path) ?? { pattern: patternOf(path), methods: [], envelope };
    entry.methods.push(method);
    byPath.set(path, entry);
  }
  return { find: (path) => [...byPath.values()].find(({ pattern }) => pattern.test(path)), unknown };
}

/** The envelope of a path of base_url that is no route (contract §2): v2 below /api/v2., else v1. */
export function envelopeOf(path: string): Envelope {
  return path.startsWith('/api/v2.') ? v2 : v1;
}

/** The path without its query. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')))
    .join('/');
  return new RegExp(`^${source}$`);
}
