import { presentWallet, walletSchema } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { channel, phoneNumber } from './fields.ts';

/** Longer than money-out waits for the wallet, so that it is money-out that says what a silent wallet means. */
const TIMEOUT_MS = 8_000;

const body = z.object({ channel, phone_number: phoneNumber });

/** POST /api/v2.0/ewallet/check-beneficiary (contract §6). Refusals: validation, and those of money-out. */
export const checkWallet = operation({
  id: 'checkWallet',
  summary: "Check a customer's e-wallet",
  description: 'Asks the e-wallet whose number it is. Nothing is moved.',
  input: z.object({ body }),
  data: walletSchema,
  refusals: ['not_found', 'beneficiary_limit', 'vendor_inactive'],
  async handle({ ewalletTopups }, { caller, body: asked }) {
    const found = await ewalletTopups.checkWallet(
      { merchantId: caller.merchantId, channel: asked.channel, phoneNumber: asked.phone_number },
      { timeoutMs: TIMEOUT_MS },
    );
    return { data: presentWallet(found) };
  },
});
