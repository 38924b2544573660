import type { Context } from '../context.ts';

/**
 * The merchant's name, the same everywhere: in a code, at the bank, on a page. A merchant service of an earlier version
 * does not give the merchant's name; then it is the account's. Refusals: merchant_not_found, those of the account, unavailable.
 */
export async function merchantNameOf(
  { merchants }: Pick<Context, 'merchants'>,
  { merchantId, accountId }: { merchantId: string; accountId: string },
): Promise<string> {
  const { name } = await merchants.profile(merchantId);
  return name === '' ? (await merchants.account(merchantId, accountId)).name : name;
}
