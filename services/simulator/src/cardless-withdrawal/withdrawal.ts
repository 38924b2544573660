/** Cash that somebody with a code may draw at the bank's machines, as it stands now in business time. */
export type Withdrawal = {
  /** The partner's reference, unique at the bank. */
  reference: string;
  merchantReference: string;
  /** What the partner calls it. */
  transactionId: string;
  /** The bank's own reference. */
  referenceNo: string;
  bankCode: string;
  phoneNumber: string;
  amountSen: bigint;
  /** Which of the codes that the reference could have is its own; none is stored. */
  codeSalt: number;
  expiresAtMs: number;
  withdrawnAtMs: number | undefined;
  status: 'pending' | 'active' | 'withdrawn' | 'canceled' | 'expired' | 'failed';
  /** SNAP case and message of one that has failed. */
  failure: { responseCode: string; message: string } | undefined;
};

/** What the bank is asked for. */
export type NewWithdrawal = Pick<
  Withdrawal,
  'reference' | 'merchantReference' | 'transactionId' | 'bankCode' | 'phoneNumber' | 'amountSen' | 'expiresAtMs'
>;
