/** The chapters of the document, in the words and the order of merchant-api.md, then those that only the contract has. */
export const TAGS = {
  Token: 'Access tokens: every other request carries one.',
  'QRIS money in': 'Dynamic QR codes that customers pay with any app (contract §5).',
  'QRIS money out': "Payments of others' QR codes.",
  'Virtual account': 'Numbers that customers transfer to at their bank, and the payments they bring.',
  Balance: 'What a merchant or one of its accounts has, holds and waits for.',
  'Payment link': 'Pages where a customer picks a method and pays, and each opening of them.',
  Disbursement: 'Transfers to bank accounts.',
  'Retail outlet': 'Codes that customers pay in cash at ALFAMART and INDOMARET.',
  'E-wallet checkout': 'Payments that customers confirm in their wallet.',
  'E-wallet top-up': "Money sent to customers' e-wallets.",
  'Cardless withdrawal': "Cash that customers draw at a bank's machine with a code.",
  'Direct debit': "Customers' bank accounts, bound once and charged from then on.",
  'Account transfer': "Transfers between a merchant's own accounts.",
  Accounts: 'Sub-accounts of the merchant.',
  'Account statements': 'What changed the available balance of an account.',
  'Settlement transactions': 'Money in that has settled.',
  Callbacks: 'Where webhooks go, and how their delivery went.',
} as const;

/** The name of a chapter. */
export type Tag = keyof typeof TAGS;
