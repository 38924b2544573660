import type { SnapAnswer } from './snap.ts';

/** SNAP wants the reason of a bill's answer in both languages, for the bank's screen. */
const INDONESIAN: Readonly<Record<string, string>> = {
  '00': 'Sukses',
  '12': 'Nomor tidak ditemukan atau tidak aktif',
  '13': 'Jumlah tidak sesuai',
  '14': 'Tagihan sudah dibayar',
  '18': 'Permintaan tidak konsisten',
  '19': 'Tagihan sudah kedaluwarsa',
};

export function reasonOf({ caseCode, message }: SnapAnswer): { english: string; indonesia: string } {
  return { english: message, indonesia: INDONESIAN[caseCode] ?? message };
}
