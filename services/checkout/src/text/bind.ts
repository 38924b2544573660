/** Why an account was not bound. */
export const BIND_FAILURES = ['declined', 'bank_refused', 'otp_failed', 'already_bound'] as const;
export type BindFailure = (typeof BIND_FAILURES)[number];

/** Sentences of the pages on which a customer binds a bank account. */
export type BindTexts = {
  title: (bank: string) => string;
  lead: (merchant: string, bank: string) => string;
  points: (bank: string) => readonly string[];
  agree: string;
  decline: string;
  before: (time: string) => string;
  otpTitle: string;
  otpLead: (bank: string, phoneEnd: string) => string;
  otpLabel: string;
  otpHint: string;
  otpFormat: string;
  otpWrong: (left: number) => string;
  otpResent: string;
  confirm: string;
  resend: (left: number) => string;
  noResend: string;
  connectingTitle: string;
  connectingLead: (bank: string) => string;
  lookAgain: string;
  boundTitle: string;
  boundLead: (merchant: string) => string;
  account: string;
  backToShop: string;
  failedTitle: string;
  failedLead: Record<BindFailure, string>;
  expiredTitle: string;
  expiredLead: string;
};

export const bindId: BindTexts = {
  title: (bank) => `Hubungkan rekening ${bank}`,
  lead: (merchant, bank) => `${merchant} meminta izin untuk mendebit rekening ${bank} Anda.`,
  points: (bank) => [
    'Setelah terhubung, pembayaran Anda didebit langsung dari rekening ini.',
    `Pembayaran di atas batas yang ditetapkan ${bank} tetap meminta kode OTP.`,
    `Anda dapat memutuskan hubungan kapan saja, lewat toko atau lewat ${bank}.`,
  ],
  agree: 'Setuju dan lanjutkan',
  decline: 'Tidak, batalkan',
  before: (time) => `Selesaikan sebelum ${time}`,
  otpTitle: 'Masukkan kode OTP',
  otpLead: (bank, phoneEnd) => `${bank} mengirim kode OTP ke nomor ponsel Anda yang berakhiran ${phoneEnd}.`,
  otpLabel: 'Kode OTP',
  otpHint: 'Jangan berikan kode ini kepada siapa pun.',
  otpFormat: 'Masukkan 4 sampai 8 angka.',
  otpWrong: (left) => `Kode OTP salah. Sisa percobaan: ${left}.`,
  otpResent: 'Kode OTP sudah kedaluwarsa. Kode baru telah dikirim.',
  confirm: 'Konfirmasi',
  resend: (left) => `Kirim ulang kode (sisa ${left})`,
  noResend: 'Kode tidak dapat dikirim ulang lagi.',
  connectingTitle: 'Menghubungkan rekening',
  connectingLead: (bank) => `Menunggu jawaban ${bank}. Halaman ini dimuat ulang dengan sendirinya.`,
  lookAgain: 'Periksa lagi',
  boundTitle: 'Rekening terhubung',
  boundLead: (merchant) => `${merchant} sekarang dapat mendebit rekening Anda.`,
  account: 'Rekening',
  backToShop: 'Kembali ke toko',
  failedTitle: 'Rekening tidak terhubung',
  failedLead: {
    declined: 'Anda telah membatalkan permintaan ini. Tidak ada yang didebit.',
    bank_refused: 'Bank tidak dapat menghubungkan rekening ini. Hubungi bank Anda atau coba rekening lain.',
    otp_failed: 'Kode OTP salah terlalu sering atau tidak dapat dikirim lagi. Mulai lagi dari toko.',
    already_bound: 'Rekening ini sudah terhubung dengan toko.',
  },
  expiredTitle: 'Waktu habis',
  expiredLead: 'Halaman ini tidak berlaku lagi. Mulai lagi dari toko.',
};

export const bindEn: BindTexts = {
  title: (bank) => `Connect your ${bank} account`,
  lead: (merchant, bank) => `${merchant} asks for permission to debit your ${bank} account.`,
  points: (bank) => [
    'Once it is connected, your payments are debited from this account directly.',
    `Payments above the limit of ${bank} still ask for an OTP.`,
    `You can end this at any time, with the shop or with ${bank}.`,
  ],
  agree: 'Agree and continue',
  decline: 'No, cancel',
  before: (time) => `Finish before ${time}`,
  otpTitle: 'Enter the OTP',
  otpLead: (bank, phoneEnd) => `${bank} has sent an OTP to your mobile number ending in ${phoneEnd}.`,
  otpLabel: 'OTP',
  otpHint: 'Never tell this code to anyone.',
  otpFormat: 'Enter 4 to 8 digits.',
  otpWrong: (left) => `The OTP is wrong. Attempts left: ${left}.`,
  otpResent: 'The OTP has expired. A new one has been sent.',
  confirm: 'Confirm',
  resend: (left) => `Send the code again (${left} left)`,
  noResend: 'The code can’t be sent again.',
  connectingTitle: 'Connecting your account',
  connectingLead: (bank) => `Waiting for the answer of ${bank}. This page loads again by itself.`,
  lookAgain: 'Look again',
  boundTitle: 'Account connected',
  boundLead: (merchant) => `${merchant} can now debit your account.`,
  account: 'Account',
  backToShop: 'Back to the shop',
  failedTitle: 'Account not connected',
  failedLead: {
    declined: 'You have cancelled this request. Nothing is debited.',
    bank_refused: 'The bank can’t connect this account. Contact your bank, or try another account.',
    otp_failed: 'The OTP was wrong too often, or can’t be sent any more. Start again at the shop.',
    already_bound: 'This account is connected to the shop already.',
  },
  expiredTitle: 'Time is up',
  expiredLead: 'This page is no longer valid. Start again at the shop.',
};
