import { describe, expect, it } from 'vitest';
import type { KeyRing } from './key-ring.ts';
import { keyedChain, NO_LINK } from './keyed-chain.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const ring = (currentKid: string, keys: Record<string, Uint8Array>): KeyRing => ({
  currentKid,
  keys: new Map(Object.entries(keys)),
});
const chain = keyedChain(ring('k1', { k1: OLD }), 'audit');
const bytes = (text: string) => Buffer.from(text);

describe('a keyed chain', () => {
  it('holds for the entry and the place it was made for', () => {
    const first = chain.link(NO_LINK, bytes('one'));
    const second = chain.link(first.mac, bytes('two'));
    expect(chain.holds(first, NO_LINK, bytes('one'))).toBe(true);
    expect(chain.holds(second, first.mac, bytes('two'))).toBe(true);
  });

  it.each([
    ['an edited entry', () => chain.holds(chain.link(NO_LINK, bytes('one')), NO_LINK, bytes('One'))],
    ['another place', () => chain.holds(chain.link(NO_LINK, bytes('one')), '11'.repeat(32), bytes('one'))],
    [
      'another log',
      () => chain.holds(keyedChain(ring('k1', { k1: OLD }), 'journal').link(NO_LINK, bytes('one')), NO_LINK, bytes('one')),
    ],
    [
      'another key',
      () => chain.holds(keyedChain(ring('k1', { k1: NEW }), 'audit').link(NO_LINK, bytes('one')), NO_LINK, bytes('one')),
    ],
    ['a link that is no hexadecimal text', () => chain.holds({ kid: 'k1', mac: 'zz' }, NO_LINK, bytes('one'))],
  ])('does not hold for %s', (_what, holds) => {
    expect(holds()).toBe(false);
  });

  it('rotates with overlap, and says which key is missing', () => {
    const old = chain.link(NO_LINK, bytes('one'));
    const rotated = keyedChain(ring('k2', { k2: NEW, k1: OLD }), 'audit');
    expect(rotated.holds(old, NO_LINK, bytes('one'))).toBe(true);
    expect(rotated.link(old.mac, bytes('two')).kid).toBe('k2');
    expect(() => keyedChain(ring('k2', { k2: NEW }), 'audit').holds(old, NO_LINK, bytes('one'))).toThrow('k1');
  });
});

describe('a checkpoint', () => {
  const at = new Date('2026-11-22T10:00:00Z');
  const checkpoint = chain.checkpoint(7n, '22'.repeat(32), at);

  it('is genuine as it was signed', () => {
    expect(chain.isGenuine(JSON.parse(JSON.stringify(checkpoint)))).toBe(true);
  });

  it.each([
    ['seq', { seq: '6' }],
    ['mac', { mac: '33'.repeat(32) }],
    ['at', { at: '2026-11-22T10:00:01.000Z' }],
    ['log', { log: 'journal' }],
    ['kid', { kid: 'k9' }],
    ['signature', { signature: '' }],
  ])('is not genuine with another %s', (_field, change) => {
    expect(chain.isGenuine({ ...checkpoint, ...change })).toBe(false);
  });
});
