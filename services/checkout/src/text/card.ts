/** Sentences of the card form, and of the page to which a customer comes back from 3DS. */
export type CardTexts = {
  method: string;
  formTitle: string;
  number: string;
  expiry: string;
  expiryHint: string;
  cvv: string;
  cvvHint: string;
  holder: string;
  holderHint: string;
  privacy: string;
  pay: (amount: string) => string;
  paying: string;
  numberMissing: string;
  numberWrong: string;
  expiryMissing: string;
  expiryWrong: string;
  expiryPast: string;
  cvvMissing: string;
  cvvWrong: (digits: string) => string;
  holderMissing: string;
  holderWrong: string;
  holderNumber: string;
  declined: string;
  declinedForGood: string;
  unavailable: string;
  bankTitle: string;
  bankLead: string;
  bankGo: string;
  or: string;
  waitingTitle: string;
  waitingLead: string;
  failedLead: string;
  cancelledLead: string;
};

export const cardId: CardTexts = {
  method: 'Kartu',
  formTitle: 'Bayar dengan kartu',
  number: 'Nomor kartu',
  expiry: 'Berlaku hingga',
  expiryHint: 'Bulan/tahun, misalnya 07/29',
  cvv: 'Kode keamanan (CVV)',
  cvvHint: '3 angka di belakang kartu, atau 4 angka di depan kartu American Express',
  holder: 'Nama pada kartu',
  holderHint: 'Seperti tertulis di kartu',
  privacy: 'Nomor kartu dan kode keamanan hanya dipakai untuk pembayaran ini dan tidak disimpan.',
  pay: (amount) => `Bayar ${amount}`,
  paying: 'Memproses …',
  numberMissing: 'Isi nomor kartu Anda.',
  numberWrong: 'Nomor kartu ini tidak benar. Periksa angka-angkanya.',
  expiryMissing: 'Isi masa berlaku kartu Anda.',
  expiryWrong: 'Tulis masa berlaku sebagai bulan/tahun, misalnya 07/29.',
  expiryPast: 'Masa berlaku kartu ini sudah habis. Gunakan kartu lain.',
  cvvMissing: 'Isi kode keamanan kartu Anda.',
  cvvWrong: (digits) => `Kode keamanan kartu ini terdiri dari ${digits} angka.`,
  holderMissing: 'Isi nama yang tertulis pada kartu.',
  holderWrong: 'Nama paling panjang 100 karakter.',
  holderNumber: 'Tulis nama di sini, bukan nomor kartu.',
  declined: 'Pembayaran dengan kartu ini tidak berhasil. Kartu Anda tidak didebit. Coba lagi, atau gunakan kartu lain.',
  declinedForGood: 'Pembayaran dengan kartu tidak berhasil. Kartu Anda tidak didebit; pilih metode lain.',
  unavailable: 'Pembayaran dengan kartu sedang tidak dapat digunakan. Coba lagi, atau pilih metode lain.',
  bankTitle: 'Konfirmasi di bank Anda',
  bankLead: 'Bank penerbit kartu ingin memastikan bahwa ini Anda. Setelah itu Anda kembali ke halaman ini.',
  bankGo: 'Lanjut ke bank',
  or: 'atau',
  waitingTitle: 'Menunggu hasil pembayaran',
  waitingLead: 'Bank penerbit kartu belum menjawab. Halaman ini dimuat ulang dengan sendirinya.',
  failedLead: 'Pembayaran dengan kartu ini tidak berhasil. Kartu Anda tidak didebit.',
  cancelledLead: 'Pembayaran ini dibatalkan, dan uangnya kembali ke kartu Anda.',
};

export const cardEn: CardTexts = {
  method: 'Card',
  formTitle: 'Pay by card',
  number: 'Card number',
  expiry: 'Expiry date',
  expiryHint: 'Month/year, for example 07/29',
  cvv: 'Security code (CVV)',
  cvvHint: '3 digits on the back of the card, or 4 on the front of an American Express card',
  holder: 'Name on the card',
  holderHint: 'As printed on the card',
  privacy: 'The card number and the security code are used for this payment only and are not stored.',
  pay: (amount) => `Pay ${amount}`,
  paying: 'Processing …',
  numberMissing: 'Enter your card number.',
  numberWrong: 'This is not the number of a card. Check its digits.',
  expiryMissing: 'Enter the expiry date of your card.',
  expiryWrong: 'Enter the expiry date as month/year, for example 07/29.',
  expiryPast: 'This card has expired. Use another card.',
  cvvMissing: 'Enter the security code of your card.',
  cvvWrong: (digits) => `The security code of this card has ${digits} digits.`,
  holderMissing: 'Enter the name that is printed on the card.',
  holderWrong: 'A name has at most 100 characters.',
  holderNumber: 'Enter a name here, not a card number.',
  declined: 'The payment with this card did not succeed. Your card was not charged. Try again, or use another card.',
  declinedForGood: 'The payment by card did not succeed. Your card was not charged; choose another method.',
  unavailable: 'Cards can’t be used right now. Try again, or choose another method.',
  bankTitle: 'Confirm at your bank',
  bankLead: 'The bank of the card wants to make sure that it is you. You will then come back to this page.',
  bankGo: 'Continue to the bank',
  or: 'or',
  waitingTitle: 'Waiting for the result',
  waitingLead: 'The bank of the card has not answered yet. This page loads again by itself.',
  failedLead: 'The payment with this card did not succeed. Your card was not charged.',
  cancelledLead: 'This payment was cancelled, and the money goes back to your card.',
};
