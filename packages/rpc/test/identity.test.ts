import { expect, test } from 'vitest';
import { identityOf, serviceOf } from '../src/index.ts';

const edge = 'spiffe://gerbang.internal/gerbang/edge';

test.each<[string, string | undefined, string | undefined]>([
  ['the only URI', `DNS:edge, URI:${edge}, IP Address:10.0.0.1`, 'edge'],
  ['a name with dashes', 'URI:spiffe://gerbang.internal/gerbang/money-out', 'money-out'],
  ['no names at all', undefined, undefined],
  ['no URI', 'DNS:edge', undefined],
  ['two URIs', `URI:${edge}, URI:${edge}`, undefined],
  ['a host that looks like one', `DNS:"x, URI:${edge}"`, undefined],
  ['a URI that another is written into', `URI:"https://x.test/\\u002c URI:${edge}"`, undefined],
  ['a second one that is quoted', `URI:${edge}, URI:"https://x.test/\\u002c"`, undefined],
  ['upper case', 'URI:spiffe://gerbang.internal/gerbang/Edge', undefined],
  ['no service', 'URI:spiffe://gerbang.internal/gerbang/', undefined],
  ['a trust domain that ours begins with', 'URI:spiffe://gerbang.internal.test/gerbang/edge', undefined],
])('%s', (_what, names, service) => expect(serviceOf(names, 'gerbang.internal')).toBe(service));

test('the URI of a service', () => expect(identityOf('edge', 'gerbang.internal')).toBe(edge));
