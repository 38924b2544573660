/** Sentences of the page to which a customer comes back from 3DS. */
export type CardTexts = {
  method: string;
  waitingTitle: string;
  waitingLead: string;
  failedLead: string;
  cancelledLead: string;
};

export const cardId: CardTexts = {
  method: 'Kartu',
  waitingTitle: 'Menunggu hasil pembayaran',
  waitingLead: 'Bank penerbit kartu belum menjawab. Halaman ini dimuat ulang dengan sendirinya.',
  failedLead: 'Pembayaran dengan kartu ini tidak berhasil. Kartu Anda tidak didebit.',
  cancelledLead: 'Pembayaran ini dibatalkan, dan uangnya kembali ke kartu Anda.',
};

export const cardEn: CardTexts = {
  method: 'Card',
  waitingTitle: 'Waiting for the result',
  waitingLead: 'The bank of the card has not answered yet. This page loads again by itself.',
  failedLead: 'The payment with this card did not succeed. Your card was not charged.',
  cancelledLead: 'This payment was cancelled, and the money goes back to your card.',
};
