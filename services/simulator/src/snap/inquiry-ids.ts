const KEPT_MAX = 200_000;

/**
 * External ids of calls that book nothing, so that they too are unique per partner and day. In memory, the newest 200,000: an
 * inquiry changes nothing, so forgetting its id costs nothing. The external ids of transfers are in the books.
 */
export type InquiryIds = {
  has(externalKey: string): boolean;
  /** Takes the id; false when it is taken already. */
  take(externalKey: string): boolean;
};

export function createInquiryIds(): InquiryIds {
  const taken = new Set<string>();
  return {
    has: (externalKey) => taken.has(externalKey),
    take(externalKey) {
      if (taken.has(externalKey)) return false;
      taken.add(externalKey);
      if (taken.size > KEPT_MAX) {
        for (const oldest of taken) {
          taken.delete(oldest);
          break;
        }
      }
      return true;
    },
  };
}
