import { hash } from 'node:crypto';
import { type KeyedChain, type KeyRing, keyedChain } from '@gerbang/core';
import type { Batch, Entry } from '../posting/posting.ts';

/**
 * What becomes of a batch that the chain does not prove: it keeps the partition from being served, an operator has accepted it by
 * name, or it is of a version before the chain, in a journal that has no link before it.
 */
export type Unproven = 'refused' | 'accepted' | 'before_chain';

/** The chain of a partition's journal; its name is in every checkpoint. */
export function journalChain(ring: KeyRing, partition: string): KeyedChain {
  return keyedChain(ring, `journal:${partition}`);
}

/**
 * What a batch says, as bytes: the same for the version that wrote it and every later one, because it is made of what the batch
 * means and not of how it is stored. Of what was asked for it has the content hash, which verifying computes anew. Texts carry
 * their length, so that no two batches have the same bytes.
 */
export function contentOf({ partition, seq, epoch, batchId, atMs, entries }: Batch): Uint8Array {
  let text = `${sized(partition)}${seq} ${epoch} ${sized(batchId)}${atMs} ${entries.length}\n`;
  for (const entry of entries) text += textOf(entry);
  return Buffer.from(text);
}

/**
 * Where the chain stands after a batch: at its link. One without a link, which only a version before the chain writes, is folded
 * in by a plain hash, so that the next link vouches for it as it was then.
 */
export function macAfter(previousMac: string, batch: Batch): string {
  if (batch.link !== undefined) return batch.link.mac;
  return hash('sha256', Buffer.concat([Buffer.from(previousMac, 'hex'), contentOf(batch)]), 'hex');
}

/** Why the link of a batch does not tie it to what is before it; undefined when it does, or when the batch has none. */
export function linkProblem(chain: KeyedChain, previousMac: string, batch: Batch): string | undefined {
  const { link, seq } = batch;
  if (link === undefined) return undefined;
  if (!chain.knows(link.kid)) return `batch ${seq} is linked with the key ${link.kid}, which this ledger does not have`;
  if (chain.holds(link, previousMac, contentOf(batch))) return undefined;
  return `the link of batch ${seq} does not hold: it is not what was written, or not after what it was written after`;
}

function textOf({ posting: { key, destinationAccountId }, contentHash, legs, result }: Entry): string {
  let text = `${sized(key)}${sized(contentHash)}${sized(destinationAccountId)}${legs.length}`;
  for (const { account, sen } of legs) text += ` ${sized(account)}${sen}`;
  return 'refused' in result
    ? `${text} ${result.refused} ${sized(result.message)}\n`
    : `${text} ${String(result.availableAfterSen)}\n`;
}

function sized(text: string): string {
  return `${text.length}:${text}`;
}
