import { randomUUID } from 'node:crypto';
import { formatSen } from '@gerbang/core';
import type { Context } from '../../context.ts';
import type { Authentication, Authorisation } from '../authorisations.ts';
import { notifyGateway } from '../notify.ts';
import { cardAcquirerOf } from '../open.ts';
import { routeAReq } from './directory.ts';
import { type CReq, encodeMessage, MESSAGE_VERSION, type RReq, type RRes, type TransStatus } from './messages.ts';
import { seedOf } from './seed.ts';

// The acquirer's 3DS server: it has a card authenticated before the issuer is asked for the money.

/** How long a customer, or the issuer's app, has; business time. */
const CHALLENGE_MS = 10 * 60_000;
const DECOUPLED_MS = 60_000;

export type Card = { number: string; expiry: string };
export type Asked = { amountSen: bigint; merchantName: string; returnUrl: string };

/** What comes of an authentication before the customer was asked for anything. */
export type FirstWord =
  | { outcome: 'authenticated' }
  | { outcome: 'refused' }
  | { outcome: 'open'; authentication: Authentication };

/** Sends the AReq and reads the ARes. An attempt counts as authenticated; where the ACS is unavailable the card is refused. */
export async function authenticate(context: Context, card: Card, asked: Asked): Promise<FirstWord> {
  const threeDSServerTransID = randomUUID();
  const [month = '', year = ''] = card.expiry.split('/');
  const ares = await routeAReq(context, {
    messageType: 'AReq',
    messageVersion: MESSAGE_VERSION,
    threeDSServerTransID,
    deviceChannel: '02',
    messageCategory: '01',
    acctNumber: card.number,
    cardExpiryDate: year + month,
    purchaseAmount: formatSen(asked.amountSen).replace('.', ''),
    purchaseCurrency: '360',
    purchaseExponent: '2',
    merchantName: asked.merchantName,
    notificationURL: asked.returnUrl,
  });
  if (ares.messageType === 'Erro') return { outcome: 'refused' };
  const isDecoupled = ares.transStatus === 'D';
  if (ares.transStatus !== 'C' && !isDecoupled)
    return { outcome: isAuthenticated(ares.transStatus) ? 'authenticated' : 'refused' };
  const { dsTransID, acsTransID } = ares;
  const nowMs = context.clock.now();
  const seed = seedOf((await cardAcquirerOf(context)).seed.current, card.number);
  return {
    outcome: 'open',
    authentication: {
      threeDSServerTransID,
      dsTransID,
      acsTransID,
      status: 'open',
      isDecoupled,
      expiresAtMs: nowMs + (isDecoupled ? DECOUPLED_MS : CHALLENGE_MS),
      ...(isDecoupled && seed.agrees_ms !== undefined && { agreesAtMs: nowMs + seed.agrees_ms }),
      seed,
    },
  };
}

/** Where the customer's browser takes the CReq, and how. */
export function challengeFields({ publicUrl }: Context, { threeDSServerTransID, acsTransID, seed }: Authentication) {
  const messageVersion = MESSAGE_VERSION;
  const creq: CReq = { messageType: 'CReq', messageVersion, threeDSServerTransID, acsTransID, challengeWindowSize: '05' };
  const url = `${publicUrl}/card/acs/challenge`;
  if (!seed?.by_post) return { challenge_url: `${url}?creq=${encodeMessage(creq)}` };
  return { challenge_form: { url, fields: [{ name: 'creq', value: encodeMessage(creq) }] } };
}

/**
 * Takes the result message. One that does not name the transaction as the ARes did, or whose transaction is over, changes nothing.
 * Then the gateway is notified.
 */
export async function takeRReq(context: Context, rreq: RReq): Promise<RRes> {
  const { threeDSServerTransID, dsTransID, acsTransID, transStatus } = rreq;
  const { authorisations } = await cardAcquirerOf(context);
  const known = await authorisations.findByAcsTransId(acsTransID);
  const isOurs =
    known?.authentication?.threeDSServerTransID === threeDSServerTransID && known.authentication.dsTransID === dsTransID;
  const answer = { messageType: 'RRes' as const, messageVersion: MESSAGE_VERSION, threeDSServerTransID, dsTransID, acsTransID };
  if (known === undefined || !isOurs) return { ...answer, resultsStatus: '02' };
  const changed = await authorisations.change(known.reference, (current) => withResult(context, current, transStatus));
  if (changed !== undefined) void notifyGateway(context, changed);
  return { ...answer, resultsStatus: '01' };
}

function withResult({ clock }: Context, current: Authorisation, transStatus: TransStatus): Authorisation | undefined {
  const { authentication, voidedAtMs } = current;
  if (authentication?.status !== 'open' || voidedAtMs !== undefined || clock.now() >= authentication.expiresAtMs)
    return undefined;
  const status = isAuthenticated(transStatus) ? ('passed' as const) : ('failed' as const);
  return { ...current, authentication: { ...authentication, status } };
}

function isAuthenticated(transStatus: TransStatus): boolean {
  return transStatus === 'Y' || transStatus === 'A';
}
