import { perContext } from '../per-context.ts';
import { type BankCharges, openBankCharges } from './charges.ts';
import { type Links, openLinks } from './links.ts';
import { type Otps, openOtps } from './otps.ts';

/** The bank whose customers bind their accounts. */
export type DirectDebitBank = { links: Links; otps: Otps; charges: BankCharges };

/** The bank of a simulator. */
export const directDebitBankOf = perContext(async ({ store, clock }): Promise<DirectDebitBank> => {
  const links = await openLinks(store, clock);
  return { links, otps: await openOtps(store, clock), charges: openBankCharges(store, clock) };
});
