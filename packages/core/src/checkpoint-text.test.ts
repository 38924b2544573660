import { expect, it } from 'vitest';
import { checkpointText, parseCheckpoint } from './checkpoint-text.ts';
import { keyedChain } from './keyed-chain.ts';

const chain = keyedChain({ currentKid: 'k1', keys: new Map([['k1', Buffer.alloc(32, 1)]]) }, 'journal:p0');

it('is one word that is read back, with a signature that holds', () => {
  const checkpoint = chain.checkpoint(42n, 'ab'.repeat(32), new Date(1_800_000_000_000));
  const text = checkpointText(checkpoint);
  expect(text).toMatch(/^[\w-]+$/);
  const read = parseCheckpoint(text);
  expect(read).toEqual(checkpoint);
  expect(read !== undefined && chain.isGenuine(read)).toBe(true);
});

it('is never mistaken for a card number: no mac gives it a run of 13 digits', () => {
  const digits = chain.checkpoint(4_111_111_111_111_111n, '4111111111111111'.repeat(4), new Date(0));
  expect(checkpointText(digits)).not.toMatch(/\d{13}/);
});

it.each([
  '',
  'nonsense',
  Buffer.from('[]').toString('base64url'),
  Buffer.from('["a","x","b","c","d","e"]').toString('base64url'),
])('is not read from %j', (text) => expect(parseCheckpoint(text)).toBeUndefined());
