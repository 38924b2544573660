import { acquirerNns, decodeQris, isRefusal, type QrisTip, RefusalError, refuse } from '@gerbang/core';
import { callWithin } from '@gerbang/rails';
import type { Context } from '../context.ts';

/** The acquirer may be asked again for the same code; after that it is left to the caller. */
const ATTEMPTS = 2;

/**
 * A code that the acquirer makes, under our reference: the same one whenever it is asked again. Refusals: unavailable (the
 * acquirer does not answer, or what it answers is no code over this amount), transaction_failed (it says no).
 */
export async function generateCode(
  context: Pick<Context, 'rails' | 'railTimeoutMs' | 'log'>,
  asked: { reference: string; amountSen: bigint; tip: QrisTip | undefined; merchantName: string; expiresAtMs: number },
): Promise<{ payload: string; acquirerNns: string }> {
  const { reference, amountSen, tip, merchantName, expiresAtMs } = asked;
  const { qris, merchantCity } = context.rails;
  const request = { partnerReference: reference, amountSen, tip, merchantName, merchantCity, expiresAtMs };
  for (let attempt = 1; ; attempt++) {
    const generated = await callWithin(context.railTimeoutMs, (signal) => qris.generate(request, { signal }));
    switch (generated.outcome) {
      case 'succeeded':
        return read(context, generated.payload, amountSen);
      case 'failed':
        throw new RefusalError(refuse('transaction_failed', { message: 'The acquirer does not make this code' }));
      case 'unknown':
        context.log.warn({ reference, reason: generated.reason }, 'the acquirer made no code');
        if (attempt >= ATTEMPTS) throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
        break;
      default:
        generated satisfies never;
    }
  }
}

/** What customers scan has to be what they are asked to pay. */
function read({ log }: Pick<Context, 'log'>, payload: string, amountSen: bigint) {
  const code = decodeQris(payload);
  if (!isRefusal(code) && code.amountSen === amountSen) return { payload, acquirerNns: acquirerNns(code) ?? '' };
  log.error({ problem: isRefusal(code) ? code.message : 'another amount' }, 'the acquirer has made a code that is wrong');
  throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
}
