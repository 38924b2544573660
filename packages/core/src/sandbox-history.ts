/** Our accounts at the sandbox's rails, by which their histories are asked for: by the rail's name in reconciliation. */
export const SANDBOX_HISTORY_ACCOUNTS = {
  'bank-transfer': '8800000001',
  'ewallet-topup': '8800000002',
  cardless: '8800000003',
  'qris-issuer': '8800000004',
  va: '8800000005',
  qris: '8800000006',
  ewallet: '8800000007',
  retail: '8800000008',
} as const;
