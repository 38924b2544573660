import { createHash } from 'node:crypto';
import { isDuplicateKey, type Store, traced } from '@gerbang/store';

/** Every token that was handed out, by its hash, so that no customer gets another one's. */
export type GivenTokens = {
  /** Whether the token is the purchase's; false where another purchase has got it before. May be repeated. */
  claim(token: string, referenceNumber: string): Promise<boolean>;
};

type TokenDocument = { _id: string; schema: number; reference_number: string };

const COLLECTION = 'given_tokens';

export function openGivenTokens(store: Store): GivenTokens {
  const tokens = store.collection<TokenDocument>(COLLECTION);
  return {
    async claim(token, referenceNumber) {
      const _id = createHash('sha256').update(`prepaid-token:${token}`).digest('base64url');
      try {
        await traced('insertOne', COLLECTION, () => tokens.insertOne({ _id, schema: 1, reference_number: referenceNumber }));
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const owner = await traced('findOne', COLLECTION, () => tokens.findOne({ _id }, { readConcern: 'linearizable' }));
      return owner?.reference_number === referenceNumber;
    },
  };
}
