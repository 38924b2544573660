import { randomBytes } from 'node:crypto';
import type { Clock } from '@gerbang/core';
import { type Store, traced } from '@gerbang/store';

/** Every OTP of the sandbox (contract §11). */
const OTP = '123456';
const LIFE_MS = 5 * 60_000;
const ATTEMPTS = 3;

type OtpDocument = {
  _id: string;
  schema: number;
  reference: string;
  service: string;
  attempts_left: number;
  expires_at: Date;
  is_verified: boolean;
};

/** OTPs that customers have been sent; durable. `service` is the one that it is for, in SNAP's two digits. */
export type Otps = {
  /** Gives its charge token. */
  send(reference: string, service: string): Promise<string>;
  /** An attempt counts before it is compared. */
  verify(chargeToken: string, reference: string, otp: string): Promise<'accepted' | 'wrong' | 'expired' | 'blocked' | 'unknown'>;
  /** Whether a right one was given for it. */
  isVerified(reference: string, service: string): Promise<boolean>;
};

export async function openOtps(store: Store, clock: Clock): Promise<Otps> {
  const otps = store.collection<OtpDocument>('direct_debit_otps');
  await otps.createIndex({ reference: 1 }, { name: 'reference' });
  return {
    async send(reference, service) {
      const chargeToken = randomBytes(24).toString('base64url');
      const expires_at = new Date(clock.now() + LIFE_MS);
      const document = {
        _id: chargeToken,
        schema: 1,
        reference,
        service,
        attempts_left: ATTEMPTS,
        expires_at,
        is_verified: false,
      };
      await traced('insertOne', 'direct_debit_otps', () => otps.insertOne(document));
      return chargeToken;
    },
    async verify(chargeToken, reference, otp) {
      for (;;) {
        const found = await otps.findOne({ _id: chargeToken, reference }, { readConcern: 'linearizable' });
        if (found === null) return 'unknown';
        const { expires_at, is_verified, attempts_left } = found;
        if (clock.now() >= expires_at.getTime()) return 'expired';
        if (is_verified) return otp === OTP ? 'accepted' : 'wrong';
        if (attempts_left <= 0) return 'blocked';
        const set = { attempts_left: attempts_left - 1, is_verified: otp === OTP };
        const { modifiedCount } = await otps.updateOne({ _id: chargeToken, attempts_left }, { $set: set });
        if (modifiedCount === 1) return otp === OTP ? 'accepted' : 'wrong';
      }
    },
    async isVerified(reference, service) {
      const found = await otps.findOne({ reference, service, is_verified: true }, { readConcern: 'linearizable' });
      return found !== null;
    },
  };
}
