import { isDuplicateKey, type Store, traced } from '@gerbang/store';

/** How long a number rests after its last owner has ended, before it is given out again (architecture §5). */
const REST_MS = 90 * 24 * 3_600_000;
/** So many numbers drawn in a row that are all taken mean that a series is full. */
const DRAWS_MAX = 50;

/** Whose a number at a rail is. `_id`: "<rail>:<number>". */
type ClaimDocument = { _id: string; schema: number; payable: string; at: Date };

/**
 * Numbers that are unique among all that can be paid, as claim documents, because a sharded MongoDB has no other unique values
 * (architecture §3).
 */
export type Claims = {
  /** Draws numbers until one is free, and claims it for the payment request. Throws when the series is full. */
  claim(rail: string, draw: () => string, requestId: string, nowMs: number): Promise<string>;
  /** Id of the payment request that owns the number now. */
  ownerOf(rail: string, number: string): Promise<string | undefined>;
};

/** When the payment request with this id ended; 'active' while it has not, 'missing' when it was never made. */
export type EndOf = (requestId: string) => Promise<number | 'active' | 'missing'>;

export function openClaims(store: Store, endOf: EndOf): Claims {
  const claims = store.collection<ClaimDocument>('claims');

  const insert = async (document: ClaimDocument): Promise<boolean> => {
    try {
      await traced('insertOne', 'claims', () => claims.insertOne(document));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };
  /**
   * Takes a number over that has rested. A crash may have left a claim without a payment request; it rests from its beginning.
   */
  const takeOver = async (document: ClaimDocument, nowMs: number): Promise<boolean> => {
    const known = await claims.findOne({ _id: document._id }, { readConcern: 'linearizable' });
    if (known === null) return insert(document);
    if (known.payable === document.payable) return true;
    const end = await endOf(known.payable);
    if (end === 'active') return false;
    const restsFromMs = end === 'missing' ? known.at.getTime() : end;
    if (nowMs - restsFromMs < REST_MS) return false;
    const { payable, at } = document;
    const { modifiedCount } = await claims.updateOne({ _id: known._id, payable: known.payable }, { $set: { payable, at } });
    return modifiedCount === 1;
  };

  return {
    async claim(rail, draw, requestId, nowMs) {
      for (let drawn = 0; drawn < DRAWS_MAX; drawn++) {
        const number = draw();
        const document = { _id: `${rail}:${number}`, schema: 1, payable: requestId, at: new Date(nowMs) };
        if ((await insert(document)) || (await takeOver(document, nowMs))) return number;
      }
      throw new Error(`no free number in ${DRAWS_MAX} draws for ${rail}`);
    },
    async ownerOf(rail, number) {
      const found = await traced('findOne', 'claims', () => claims.findOne({ _id: `${rail}:${number}` }));
      return found?.payable;
    },
  };
}
