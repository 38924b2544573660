import { findBankByShortName } from '@gerbang/core';
import type { Texts } from './id.ts';
import type { Language } from './texts.ts';

export type Instructions = { title: string; steps: readonly string[] };

/** How a bank names its application and, in Indonesian as its menus are, where a virtual account is paid. */
type Menus = { app: string; atm: string; mobile: string };

const MENUS: Readonly<Record<string, Menus>> = {
  BCA: {
    app: 'BCA mobile',
    atm: 'Transaksi Lainnya → Transfer → ke Rekening BCA Virtual Account',
    mobile: 'm-Transfer → BCA Virtual Account',
  },
  BNI: {
    app: 'wondr by BNI',
    atm: 'Menu Lainnya → Transfer → Virtual Account Billing',
    mobile: 'Transfer → Virtual Account',
  },
  BRI: { app: 'BRImo', atm: 'Transaksi Lain → Pembayaran → Lainnya → BRIVA', mobile: 'BRIVA' },
  MANDIRI: {
    app: 'Livin’ by Mandiri',
    atm: 'Bayar/Beli → Lainnya → Multi Payment',
    mobile: 'Bayar → Cari penyedia jasa / Virtual Account',
  },
};

/** Menus differ and change; those of other banks are named by what they all have. */
const OTHER = { atm: 'Transfer → Virtual Account', mobile: 'Transfer → Virtual Account' };

const STEPS = {
  id: {
    atm: (menu: string) => [
      'Masukkan kartu dan PIN Anda.',
      `Pilih menu ${menu}.`,
      'Masukkan nomor virtual account.',
      'Periksa nama dan jumlahnya, konfirmasi, lalu simpan struknya.',
    ],
    mobile: (menu: string) => [
      'Masuk ke aplikasi.',
      `Pilih menu ${menu}.`,
      'Tempel atau ketik nomor virtual account.',
      'Periksa nama dan jumlahnya, lalu konfirmasi dengan PIN Anda.',
    ],
    other: (bank: string, code: string) => [
      `Pilih transfer antarbank ke ${bank} (kode ${code}).`,
      'Masukkan nomor virtual account sebagai nomor rekening tujuan.',
      'Masukkan jumlah yang sama persis, lalu konfirmasi. Bank Anda dapat mengenakan biaya transfer.',
    ],
  },
  en: {
    atm: (menu: string) => [
      'Insert your card and enter your PIN.',
      `Choose ${menu}.`,
      'Enter the virtual account number.',
      'Check the name and the amount, confirm, and keep the receipt.',
    ],
    mobile: (menu: string) => [
      'Sign in to the app.',
      `Choose ${menu}.`,
      'Paste or type the virtual account number.',
      'Check the name and the amount, then confirm with your PIN.',
    ],
    other: (bank: string, code: string) => [
      `Choose an interbank transfer to ${bank} (code ${code}).`,
      'Enter the virtual account number as the destination account.',
      'Enter exactly the same amount and confirm. Your bank may charge a transfer fee.',
    ],
  },
} satisfies Record<Language, unknown>;

/** How a virtual account of a bank (its short name) is paid: at its ATMs, in its application, from another bank. */
export function bankInstructions(shortName: string, language: Language, texts: Texts): Instructions[] {
  const steps = STEPS[language];
  const { app, atm, mobile } = MENUS[shortName] ?? { ...OTHER, app: `mobile banking ${shortName}` };
  const bank = findBankByShortName(shortName);
  return [
    { title: texts.viaMobile(app), steps: steps.mobile(mobile) },
    { title: texts.viaAtm(shortName), steps: steps.atm(atm) },
    ...(bank === undefined ? [] : [{ title: texts.viaOther, steps: steps.other(bank.name, bank.nationalCode) }]),
  ];
}
