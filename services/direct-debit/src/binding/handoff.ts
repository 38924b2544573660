import { RefusalError, refuseField } from '@gerbang/core';
import type { OtpHandoff } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { z } from 'zod';
import type { Sealing } from '../seal.ts';

const content = z.object({ nonce: z.string(), expiresAtMs: z.number() });

/** The block that verifying an unbinding's OTP has to bring back: sealed, so that all of it is ours. */
export async function writeHandoff(sealing: Sealing, bindingId: string, nonce: string, expiresAtMs: number) {
  const token = await sealing.seal('unbind-handoff', bindingId, JSON.stringify({ nonce, expiresAtMs }));
  return { token, bindingId, expiredAtMs: BigInt(expiresAtMs) };
}

/** The nonce in it. Refusals: unavailable; validation (unbind_context), where anything of it was changed, or it is another binding's, or over. */
export async function readHandoff(
  sealing: Sealing,
  bindingId: string,
  handoff: OtpHandoff | undefined,
  nowMs: number,
): Promise<string> {
  const opened = handoff?.bindingId === bindingId ? await open(sealing, bindingId, handoff.token) : undefined;
  if (opened === undefined || BigInt(opened.expiresAtMs) !== handoff?.expiredAtMs || nowMs >= opened.expiresAtMs)
    throw new RefusalError(refuseField('unbind_context', 'is not a valid otp_handoff of this binding, or is over'));
  return opened.nonce;
}

async function open(sealing: Sealing, bindingId: string, token: string): Promise<z.output<typeof content> | undefined> {
  try {
    return content.parse(JSON.parse(await sealing.open('unbind-handoff', bindingId, token)));
  } catch (error) {
    if (error instanceof RefusalError) throw error;
    // It is none of ours.
    return undefined;
  }
}
