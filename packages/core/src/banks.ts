/** A bank: disbursements name it by national code or SWIFT code, other products by short name (contract §6). */
export type Bank = { shortName: string; name: string; nationalCode: string; swiftCode: string };

export const BANKS: readonly Bank[] = [
  { shortName: 'BRI', name: 'Bank Rakyat Indonesia', nationalCode: '002', swiftCode: 'BRINIDJA' },
  { shortName: 'MANDIRI', name: 'Bank Mandiri', nationalCode: '008', swiftCode: 'BMRIIDJA' },
  { shortName: 'BNI', name: 'Bank Negara Indonesia', nationalCode: '009', swiftCode: 'BNINIDJA' },
  { shortName: 'DANAMON', name: 'Bank Danamon Indonesia', nationalCode: '011', swiftCode: 'BDINIDJA' },
  { shortName: 'PERMATA', name: 'Bank Permata', nationalCode: '013', swiftCode: 'BBBAIDJA' },
  { shortName: 'BCA', name: 'Bank Central Asia', nationalCode: '014', swiftCode: 'CENAIDJA' },
  { shortName: 'MAYBANK', name: 'Bank Maybank Indonesia', nationalCode: '016', swiftCode: 'IBBKIDJA' },
  { shortName: 'CIMB', name: 'Bank CIMB Niaga', nationalCode: '022', swiftCode: 'BNIAIDJA' },
  { shortName: 'OCBC', name: 'Bank OCBC Indonesia', nationalCode: '028', swiftCode: 'NISPIDJA' },
  { shortName: 'CITI', name: 'Citibank', nationalCode: '031', swiftCode: 'CITIIDJX' },
  { shortName: 'DBS', name: 'Bank DBS Indonesia', nationalCode: '046', swiftCode: 'DBSBIDJA' },
  { shortName: 'HSBC', name: 'Bank HSBC Indonesia', nationalCode: '087', swiftCode: 'HSBCIDJA' },
  { shortName: 'MUAMALAT', name: 'Bank Muamalat Indonesia', nationalCode: '147', swiftCode: 'MUABIDJA' },
  { shortName: 'BTN', name: 'Bank Tabungan Negara', nationalCode: '200', swiftCode: 'BTANIDJA' },
  { shortName: 'BSI', name: 'Bank Syariah Indonesia', nationalCode: '451', swiftCode: 'BSMDIDJA' },
  { shortName: 'BNC', name: 'Bank Neo Commerce', nationalCode: '490', swiftCode: 'YUDBIDJ1' },
  { shortName: 'SEABANK', name: 'SeaBank Indonesia', nationalCode: '535', swiftCode: 'SSPIIDJA' },
  { shortName: 'JAGO', name: 'Bank Jago', nationalCode: '542', swiftCode: 'JAGBIDJA' },
];

const byCode = new Map(BANKS.flatMap((bank) => [[bank.nationalCode, bank] as const, [bank.swiftCode, bank] as const]));

const byShortName = new Map(BANKS.map((bank) => [bank.shortName, bank] as const));

/**
 * The bank of a short name, as virtual accounts, cardless withdrawals and direct debits name it (contract §6); undefined when
 * there is none.
 */
export function findBankByShortName(shortName: string): Bank | undefined {
  return byShortName.get(shortName);
}

/** The bank of a three-digit national code or an eight-character SWIFT code; undefined when there is none. */
export function findBank(code: string): Bank | undefined {
  return byCode.get(code);
}
