import { EWALLET_CHANNELS } from '@gerbang/core';

export type EwalletTopupChannel = (typeof EWALLET_CHANNELS)[number];

/** In what the wallets differ. A wallet that is different in something else gets a field here, not a branch in code. */
export type EwalletTopupProfile = {
  /** What the rail calls the wallet. */
  provider: string;
  /** The least that can be sent. The most depends on the customer, so the wallet itself says that (`limitCases`). */
  minimumSen: bigint;
  /** What the wallet puts before its customers' names. */
  namePrefix: string;
  /** HTTP status and case, as in `treatment.ts`, of failures by which the wallet says that it has no such customer. */
  unknownCases: readonly string[];
  /** The same, where one case has several reasons and `additionalInfo.resultMsg` has the reason. */
  unknownMessages: readonly string[];
  /** HTTP status and case of failures by which it says that the amount is more than the customer's wallet takes. */
  limitCases: readonly string[];
};

/** As SNAP has it. */
const STANDARD = {
  minimumSen: 1_000_00n,
  namePrefix: '',
  unknownCases: ['40411'],
  unknownMessages: ['PAYEE_USER_NOT_EXIST'],
  limitCases: ['40302'],
} satisfies Partial<EwalletTopupProfile>;

/** Every wallet. The least amounts are those that Indonesian payout providers publish. */
export const EWALLET_TOPUP_PROFILES: Readonly<Record<EwalletTopupChannel, EwalletTopupProfile>> = {
  OVO: { ...STANDARD, provider: 'OVO', minimumSen: 10_000_00n },
  DANA: { ...STANDARD, provider: 'DANA', namePrefix: 'DNID ' },
  SHOPEEPAY: { ...STANDARD, provider: 'SHOPEEPAY' },
  LINKAJA: { ...STANDARD, provider: 'LINKAJA', minimumSen: 10_000_00n },
  GOPAY: { ...STANDARD, provider: 'GOPAY' },
};

/** The wallet of this name; undefined when there is none. */
export function findEwalletTopupChannel(name: string): EwalletTopupChannel | undefined {
  return EWALLET_CHANNELS.find((channel) => channel === name);
}
