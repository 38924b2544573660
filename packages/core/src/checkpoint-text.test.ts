import { expect, test } from 'vitest';
import { checkpointText, parseCheckpointText } from './checkpoint-text.ts';
import { parseKeyRing } from './envelope-encryption.ts';
import { keyedChain, NO_LINK } from './keyed-chain.ts';

const ring = parseKeyRing(`first:${Buffer.alloc(32, 1).toString('base64')}`);
if (ring === undefined) throw new Error('no key ring');
const chain = keyedChain(ring, 'audit');

test('a checkpoint is read from its text as it was, and has no number that could be a card’s', () => {
  for (let i = 0; i < 200; i++) {
    const { mac } = chain.link(NO_LINK, Buffer.of(i));
    const checkpoint = chain.checkpoint(BigInt(i), mac, new Date(1_790_000_000_000 + i));
    const text = checkpointText(checkpoint);
    expect(text).not.toMatch(/\d{13}/);
    const read = parseCheckpointText(text);
    expect(read).toEqual(checkpoint);
    expect(read !== undefined && chain.isGenuine(read)).toBe(true);
  }
});

test.each(['', 'audit', 'audit/1/2026-01-01T00:00:00.000Z/k/abc/abc', 'audit/x/2026-01-01T00:00:00.000Z/k/a/b'])(
  '%j is none',
  (text) => {
    expect(parseCheckpointText(text)).toBeUndefined();
  },
);
