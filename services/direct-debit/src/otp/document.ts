import type { Otp } from './otp.ts';

export type OtpDocument = { attempts_left: number; sends_left: number; expires_at: Date; charge_token?: string };

export function toOtpDocument({ attemptsLeft, sendsLeft, expiresAtMs, chargeToken }: Otp): OtpDocument {
  const counted = { attempts_left: attemptsLeft, sends_left: sendsLeft, expires_at: new Date(expiresAtMs) };
  return { ...counted, ...(chargeToken !== undefined && { charge_token: chargeToken }) };
}

export function fromOtpDocument({ attempts_left, sends_left, expires_at, charge_token }: OtpDocument): Otp {
  return { attemptsLeft: attempts_left, sendsLeft: sends_left, expiresAtMs: expires_at.getTime(), chargeToken: charge_token };
}
