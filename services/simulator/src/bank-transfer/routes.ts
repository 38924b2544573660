import { setTimeout as sleep } from 'node:timers/promises';
import { newUlid, parseAmount } from '@gerbang/core';
import { verifyTokenRequest } from '@gerbang/rails';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { fateOf } from './beneficiary.ts';
import { admit, answer, type SnapCall } from './snap.ts';

const TOKEN = '73';
const INQUIRY = '16';
const TRANSFER = '18';
const STATUS = '36';
/** A bank that does not answer hangs up after this long. */
const SILENCE_MS = 60_000;

const text = (max: number) => z.string().min(1).max(max);
const inquirySchema = z.object({ beneficiaryBankCode: text(8), beneficiaryAccountNo: text(34) });
const transferSchema = z.object({
  partnerReferenceNo: text(64),
  amount: z.object({ value: z.string().refine((value) => parseAmount(value) !== undefined), currency: z.literal('IDR') }),
  beneficiaryBankCode: text(8),
  beneficiaryAccountNo: text(34),
  additionalInfo: z.object({ merchantReference: z.string().max(64).default('') }).default({ merchantReference: '' }),
});
const statusSchema = z.object({ originalPartnerReferenceNo: text(64) });

/** The bank's SNAP endpoints: token (73), account inquiry (16), interbank transfer (18), transfer status (36). */
export function bankTransferRoutes(
  app: FastifyInstance,
  context: Context,
  credentials: { clientKey: string; publicKey: string },
): void {
  app.post('/v1.0/access-token/b2b', async (request, reply) => {
    const header = (name: string) => String(request.headers[name] ?? '');
    const [clientKey, timestamp] = [header('x-client-key'), header('x-timestamp')];
    const known =
      clientKey === credentials.clientKey &&
      verifyTokenRequest(clientKey, timestamp, header('x-signature'), credentials.publicKey);
    if (!known || !(Math.abs(Date.parse(timestamp) - Date.now()) <= 300_000))
      return answer(reply, 401, TOKEN, '00', 'Unauthorized');
    return answer(reply, 200, TOKEN, '00', 'Successful', { ...context.tokens.issue(), tokenType: 'Bearer' });
  });

  transaction('/v1.0/account-inquiry-external', INQUIRY, inquirySchema, async (reply, body) => {
    if (body.beneficiaryAccountNo.endsWith('0404')) return answer(reply, 404, INQUIRY, '11', 'Invalid Account');
    return answer(reply, 200, INQUIRY, '00', 'Successful', {
      beneficiaryAccountNo: body.beneficiaryAccountNo,
      beneficiaryAccountName: `TEST ${body.beneficiaryAccountNo.slice(-4)}`,
      beneficiaryBankCode: body.beneficiaryBankCode,
    });
  });

  transaction('/v1.0/transfer-interbank', TRANSFER, transferSchema, async (reply, body, call, request) => {
    const fate = fateOf(body.beneficiaryAccountNo, context.behaviours.get('bank-transfer'));
    if (fate.kind === 'error') return answer(reply, 500, TRANSFER, '00', 'General Error');
    if (fate.kind === 'not-found') return answer(reply, 404, TRANSFER, '11', 'Invalid Account');
    const referenceNo = newUlid(Date.now());
    const booked = await context.books.book({
      partnerReference: body.partnerReferenceNo,
      merchantReference: body.additionalInfo.merchantReference,
      amountSen: parseAmount(body.amount.value) ?? 0n,
      externalId: call.externalKey,
      failureCode: fate.outcome === 'failed' ? '4031814' : '',
      referenceNo,
      outcome: fate.outcome,
      delayMs: fate.delayMs,
    });
    if (booked === 'reference-taken') return answer(reply, 409, TRANSFER, '01', 'Duplicate partnerReferenceNo');
    if (booked === 'external-id-taken') return answer(reply, 409, TRANSFER, '00', 'Conflict');
    if (!fate.answers) {
      await silence(request);
      return answer(reply, 504, TRANSFER, '00', 'Timeout');
    }
    if (fate.outcome === 'failed') return answer(reply, 403, TRANSFER, '14', 'Insufficient Funds');
    return answer(reply, 200, TRANSFER, '00', 'Successful', {
      referenceNo,
      partnerReferenceNo: body.partnerReferenceNo,
      amount: body.amount,
    });
  });

  transaction('/v1.0/transfer/status', STATUS, statusSchema, async (reply, body) => {
    if (context.behaviours.get('bank-transfer').outcome === 'error') return answer(reply, 500, STATUS, '00', 'General Error');
    const entry = await context.books.find(body.originalPartnerReferenceNo);
    if (entry === undefined) return answer(reply, 404, STATUS, '01', 'Transaction Not Found');
    const status = { pending: ['03', 'Pending'], success: ['00', 'Success'], failed: ['06', 'Failed'] }[entry.status];
    return answer(reply, 200, STATUS, '00', 'Successful', {
      originalReferenceNo: entry.referenceNo,
      originalPartnerReferenceNo: entry.partnerReference,
      serviceCode: TRANSFER,
      latestTransactionStatus: status[0],
      transactionStatusDesc: status[1],
      ...(entry.failureCode !== '' && entry.status === 'failed' && { additionalInfo: { failureCode: entry.failureCode } }),
    });
  });

  /** An endpoint behind the bank's checks, with the forced latency and error rate of the rail around it. */
  function transaction<S extends z.ZodType>(
    path: string,
    service: string,
    schema: S,
    handle: (reply: FastifyReply, body: z.output<S>, call: SnapCall, request: FastifyRequest) => Promise<FastifyReply>,
  ): void {
    app.post(path, async (request, reply) => {
      const call = admit(context, request, reply, service);
      if (call === undefined) return reply;
      const parsed = schema.safeParse(call.body);
      if (!parsed.success)
        return answer(reply, 400, service, '01', `Invalid Field Format {${parsed.error.issues[0]?.path.join('.')}}`);
      const { latency_ms: latencyMs = 0, error_rate: errorRate = 0 } = context.behaviours.get('bank-transfer');
      if (latencyMs > 0) await sleep(latencyMs);
      if (Math.random() >= errorRate) return handle(reply, parsed.data, call, request);
      // An error before the booking, or one after it: from outside they look the same.
      const silent = { code: () => silent, send: () => silent } as unknown as FastifyReply;
      if (Math.random() < 0.5) await handle(silent, parsed.data, call, request);
      return answer(reply, 500, service, '00', 'General Error');
    });
  }
}

async function silence(request: FastifyRequest): Promise<void> {
  const gone = new AbortController();
  request.raw.socket.once('close', () => gone.abort());
  await sleep(SILENCE_MS, undefined, { signal: gone.signal, ref: false }).catch(() => {});
}
