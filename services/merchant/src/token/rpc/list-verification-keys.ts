import type { Context } from '../../context.ts';

/** Public keys for access tokens: of every token that may be alive, and of those to come. */
export async function listVerificationKeys(context: Context) {
  return { keys: await context.signingKeys.published() };
}
