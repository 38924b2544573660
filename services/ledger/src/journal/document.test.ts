import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { postings } from '../../test/model.ts';
import { decide } from '../posting/decide.ts';
import { type Batch, contentHash, hasVariant, type Posting } from '../posting/posting.ts';
import { fromJournalDocument, toJournalDocument } from './document.ts';

function batchOf(asked: readonly Posting[]): Batch {
  const entries = asked.map((posting) => ({
    posting,
    contentHash: contentHash(posting),
    ...decide(posting, () => 1_000n),
  }));
  return { partition: 'p0', seq: 7n, epoch: 2n, batchId: 'b', atMs: 1_800_000_000_000, entries };
}

const hold: Posting = {
  key: 'key',
  intent: 'hold',
  merchantId: 'M',
  accountId: 'A',
  amountSen: 10n,
  feeSen: 1n,
  vendorFeeSen: 0n,
  rail: 'bank-transfer',
  product: 'disbursement',
  transactionId: 't',
  referenceNumber: 'r',
  description: 'd',
  destinationAccountId: '',
  side: 'available',
  fromSuspense: false,
  compensation: '',
};

describe('a journal document', () => {
  it('is read as what was written', () => {
    fc.assert(
      fc.property(fc.array(postings), (asked) => {
        expect(fromJournalDocument(toJournalDocument(batchOf(asked)))).toEqual(batchOf(asked));
      }),
    );
  });

  it('can be read by the version before this one, unless it says what that one does not know', () => {
    fc.assert(
      fc.property(fc.array(postings), (asked) => {
        const { schema, postings: stored } = toJournalDocument(batchOf(asked));
        const hasVendorFee = asked.filter(({ vendorFeeSen }) => vendorFeeSen > 0n);
        const hasChargeback = asked.some(({ intent }) => ['reserve', 'restore', 'forfeit'].includes(intent));
        expect(schema).toBe(hasChargeback ? 5 : hasVendorFee.length > 0 ? 4 : asked.some(hasVariant) ? 3 : 2);
        expect(stored.filter((one) => 'vendor_fee_sen' in one)).toHaveLength(hasVendorFee.length);
        expect(stored.filter((one) => 'side' in one)).toHaveLength(asked.filter(hasVariant).length);
      }),
    );
  });

  it('of a later version is not guessed at', () => {
    const document = { ...toJournalDocument(batchOf([hold])), schema: 6 };
    expect(() => fromJournalDocument(document)).toThrow(/unknown schema 6/);
  });
});

describe('the hash of what was asked for', () => {
  it('is the one that earlier versions have journalled', () => {
    expect(contentHash(hold)).toBe('JEbrp9Nqa2IkPpjwM4iXxhNy2Ls8VNkDg4qrnT7EobA=');
  });

  it('is another one for other content', () => {
    const others: Partial<Posting>[] = [
      { amountSen: 11n },
      { side: 'pending' },
      { fromSuspense: true },
      { compensation: 'payout-made' },
      { vendorFeeSen: 1n },
    ];
    const hashes = [hold, ...others.map((other) => ({ ...hold, ...other }))].map(contentHash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
