import type { Context } from '../context.ts';
import { SnapRefusal } from '../snap/snap.ts';

/** External ids of questions are unique per partner and day too, also beside those of transfers. Refuses with 409 00. */
export async function takeQuestionId({ books, inquiryIds }: Context, externalKey: string): Promise<void> {
  if ((await books.hasExternalKey(externalKey)) || !inquiryIds.take(externalKey)) throw new SnapRefusal(409, '00', 'Conflict');
}
