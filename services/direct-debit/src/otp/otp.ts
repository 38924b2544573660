/** An OTP that a customer has to give. */
export type Otp = {
  attemptsLeft: number;
  /** How often another one may be sent. */
  sendsLeft: number;
  /** Business time. */
  expiresAtMs: number;
  /** What the bank knows it by, sealed; undefined while the bank has not answered. */
  chargeToken: string | undefined;
};

/** How long an OTP is good for (contract §8). */
export const OTP_LIFE_MS = 5 * 60_000;
const ATTEMPTS = 3;
const SENDS = 3;

/** A first OTP, which is counted before the bank is asked to send it. */
export function firstOtp(nowMs: number): Otp {
  return { attemptsLeft: ATTEMPTS, sendsLeft: SENDS - 1, expiresAtMs: nowMs + OTP_LIFE_MS, chargeToken: undefined };
}

/** Another one, counted too. The attempts are those of all of them together. */
export function nextOtp({ attemptsLeft, sendsLeft }: Otp, nowMs: number): Otp {
  return { attemptsLeft, sendsLeft: sendsLeft - 1, expiresAtMs: nowMs + OTP_LIFE_MS, chargeToken: undefined };
}
