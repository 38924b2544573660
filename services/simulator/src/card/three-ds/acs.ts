import { randomBytes, randomUUID } from 'node:crypto';
import { formatSen } from '@gerbang/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Handler } from '../../handler.ts';
import { type Authorisation, statusOf } from '../authorisations.ts';
import { cardAcquirerOf } from '../open.ts';
import { eciOf } from './directory.ts';
import { type CReq, type CRes, decodeCReq, encodeMessage, MESSAGE_VERSION, type TransStatus } from './messages.ts';
import type { Seed } from './seed.ts';
import { takeRReq } from './server.ts';

/** OTP of the sandbox (contract §11); any other fails. */
const OTP = '123456';

const query = z.object({ creq: z.string().max(2_048) });
/** Without an OTP or a cancel it begins the challenge. */
const form = query.extend({ otp: z.string().max(32).optional(), cancel: z.literal('1').optional() });

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};

/** GET /card/acs/challenge?creq=…: the issuer's page, one form, without scripts and cookies (contract §11). */
export const showChallenge: Handler = async (context, request, reply) => {
  const found = await challengeOf(context, query.safeParse(request.query).data?.creq);
  if (found?.authorisation.authentication?.seed?.by_post)
    return reply
      .code(405)
      .headers({ ...HEADERS, allow: 'POST' })
      .send(page('Hanya lewat formulir · By a form only', ''));
  return showForm(context, found, reply);
};

/** The page of a challenge. */
function showForm(context: Context, found: Found | undefined, reply: FastifyReply): FastifyReply {
  if (found === undefined) return reply.code(404).headers(HEADERS).send(page('Tidak ditemukan · Not found', ''));
  if (statusOf(found.authorisation, context.clock.now()) !== 'challenge')
    return reply.code(410).headers(HEADERS).send(page('Verifikasi selesai · Verification is over', ''));
  const { amountSen, maskedCard } = found.authorisation;
  const content = `<p>Rp ${formatSen(amountSen)}<br>${maskedCard}</p>
<form method="post" action="${context.publicUrl}/card/acs/challenge"><input type="hidden" name="creq" value="${found.text}">
<label>OTP <input name="otp" inputmode="numeric" autocomplete="one-time-code" required maxlength="8"></label>
<button>Kirim · Submit</button> <button name="cancel" value="1" formnovalidate>Batal · Cancel</button></form>`;
  return reply.headers(HEADERS).send(page('Verifikasi 3-D Secure', content));
}

/**
 * POST of the CReq shows the page. POST of the page's form: the result goes by RReq to the 3DS server; then the browser takes the CRes
 * to the notification URL.
 */
export const submitChallenge: Handler = async (context, request, reply) => {
  const sent = form.safeParse(fieldsOf(request));
  const found = await challengeOf(context, sent.data?.creq);
  if (!sent.success || found === undefined) return reply.code(404).headers(HEADERS).send(page('Tidak ditemukan · Not found', ''));
  const { otp, cancel } = sent.data;
  if (otp === undefined && cancel === undefined) return showForm(context, found, reply);
  const { current } = (await cardAcquirerOf(context)).seed;
  const seed: Seed = { ...found.authorisation.authentication?.seed, ...current, ...(current.tampered && { rreq: 'forged' }) };
  const isRight = cancel === undefined && otp === OTP;
  const transStatus = seed.result ?? (isRight ? 'Y' : 'N');
  for (const status of resultsOf(seed, transStatus)) await sendRReq(context, found.authorisation, status, seed);
  return reply
    .code(303)
    .header('location', backWith(found, { transStatus, isCancelled: cancel !== undefined }, seed))
    .send();
};

/** The results that are sent, one after another. */
function resultsOf({ rreq = 'once' }: Seed, transStatus: TransStatus): TransStatus[] {
  switch (rreq) {
    case 'once':
    case 'forged':
      return [transStatus];
    case 'repeated':
      return [transStatus, transStatus];
    case 'contradicted':
      return [transStatus, opposite(transStatus)];
    case 'lost':
      return [];
    default:
      return rreq satisfies never;
  }
}

function opposite(transStatus: TransStatus): TransStatus {
  return transStatus === 'Y' ? 'N' : 'Y';
}

/** Where the browser goes, and with which CRes. */
function backWith({ creq, authorisation }: Found, said: { transStatus: TransStatus; isCancelled: boolean }, seed: Seed): string {
  const back = new URL(authorisation.returnUrl);
  if (seed.cres === 'none') return back.href;
  const cres: CRes = {
    messageType: 'CRes',
    messageVersion: MESSAGE_VERSION,
    threeDSServerTransID: seed.cres === 'foreign' ? randomUUID() : creq.threeDSServerTransID,
    acsTransID: seed.cres === 'foreign' ? randomUUID() : creq.acsTransID,
    challengeCompletionInd: 'Y',
    transStatus: seed.cres === 'contradicting' ? opposite(said.transStatus) : said.transStatus,
    ...(said.isCancelled && { challengeCancel: '01' }),
  };
  back.searchParams.set('cres', encodeMessage(cres));
  return back.href;
}

/** Sends the result message; a forged one names another transaction. */
async function sendRReq(
  context: Context,
  { authentication }: Authorisation,
  transStatus: TransStatus,
  { rreq }: Seed,
): Promise<void> {
  if (authentication === undefined) return;
  const { threeDSServerTransID, acsTransID } = authentication;
  const rres = await takeRReq(context, {
    messageType: 'RReq',
    messageVersion: MESSAGE_VERSION,
    threeDSServerTransID,
    dsTransID: rreq === 'forged' ? randomUUID() : authentication.dsTransID,
    acsTransID,
    transStatus,
    eci: eciOf(transStatus),
    ...(transStatus === 'Y' && { authenticationValue: randomBytes(20).toString('base64') }),
  });
  if (rres.resultsStatus !== '01') context.log.warn({ transaction_id: acsTransID }, 'the 3DS server refuses a result message');
}

type Found = { text: string; creq: CReq; authorisation: Authorisation };

async function challengeOf(context: Context, text: string | undefined): Promise<Found | undefined> {
  const creq = text === undefined ? undefined : decodeCReq(text);
  if (text === undefined || creq === undefined || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  const authorisation = await (await cardAcquirerOf(context)).authorisations.findByAcsTransId(creq.acsTransID);
  if (authorisation?.authentication?.threeDSServerTransID !== creq.threeDSServerTransID) return undefined;
  return { text, creq, authorisation };
}

function fieldsOf({ body }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(typeof body === 'string' ? body : ''));
}

/** `content` has no text from outside but a message of letters and digits. */
function page(title: string, content: string): string {
  return `<!doctype html><html lang="id"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:1.1rem system-ui;margin:2rem;max-width:24rem}button,input{font:inherit;padding:.7rem 1.2rem}</style>
<h1>${title}</h1>${content}</html>\n`;
}
