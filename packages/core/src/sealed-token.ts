/** A sealed token of a prepaid purchase, with whose it is. */
export type SealedToken = { referenceNumber: string; text: string };
