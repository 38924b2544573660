import { type KeyObject, randomInt } from 'node:crypto';
import { type CallingRail, jakartaIso, signMessage, signTokenRequest, signTransaction } from '@gerbang/core';
import { z } from 'zod';

/** A service of the gateway that a rail calls (SNAP): where, and the two digits that its responseCodes carry. */
export type GatewayService = { path: string; code: string };

export const VA_INQUIRY: GatewayService = { path: '/v1.0/transfer-va/inquiry', code: '24' };
export const VA_PAYMENT: GatewayService = { path: '/v1.0/transfer-va/payment', code: '25' };
export const QR_NOTIFY: GatewayService = { path: '/v1.0/qr/qr-mpm-notify', code: '52' };
/** SNAP has no notification for service 18; this is shaped as those of 22 and 23 (75, 76). */
export const TRANSFER_NOTIFY: GatewayService = { path: '/v1.0/transfer-interbank/notify', code: '18' };
/** Nor for 50. */
export const QR_PAYMENT_NOTIFY: GatewayService = { path: '/v1.0/qr/qr-mpm-payment/notify', code: '50' };
export const DEBIT_NOTIFY: GatewayService = { path: '/v1.0/debit/notify', code: '56' };
/** The same of a bank whose customers have bound their accounts. */
export const DIRECT_DEBIT_NOTIFY = DEBIT_NOTIFY;
/** Of our own shape: SNAP knows no chargebacks. */
export const CHARGEBACK_NOTIFY: GatewayService = { path: '/v1.0/card/chargeback-notify', code: '99' };
/** SNAP has no notification for service 09. */
export const UNBINDING_NOTIFY: GatewayService = { path: '/v1.0/registration-account-unbinding/notify', code: '09' };

/** What the gateway has said: done, an explicit no, or no usable answer, so that the rail has to send it again. */
export type GatewayAnswer =
  | { outcome: 'done'; body: object }
  | { outcome: 'refused'; responseCode: string; message: string }
  | { outcome: 'unanswered'; reason: string };

/** The gateway's rails listener, as the banks and acquirers see it. */
export type Gateway = { call(rail: CallingRail, service: GatewayService, body: object): Promise<GatewayAnswer> };

export type GatewayOptions = {
  /** rails_url (contract §1). */
  url: string;
  /** RSA: signs requests for access tokens, and the transactions of rails that sign asymmetrically. */
  privateKey: KeyObject;
  /** Signs the transactions of the others. */
  clientSecret: string;
  /** The rails that sign symmetrically, with an access token. */
  hmacRails: ReadonlySet<string>;
  stopping: AbortSignal;
};

const TIMEOUT_MS = 8_000;
const TOKEN_PATH = '/v1.0/access-token/b2b';
const CHANNEL_ID = '95221';

const anyAnswer = z.looseObject({ responseCode: z.string().regex(/^\d{7}$/), responseMessage: z.string().default('') });
const tokenAnswer = z.object({ accessToken: z.string().min(1), expiresIn: z.coerce.number().positive() });

/** Each rail is a partner of its own, `sandbox-<rail>`. Nothing is sent before the first call. */
export function createGateway({ url, privateKey, clientSecret, hmacRails, stopping }: GatewayOptions): Gateway {
  const base = url.replace(/\/$/, '');
  const tokens = new Map<CallingRail, { accessToken: string; usableUntilMs: number }>();

  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const json: unknown = await response.json();
    return { http: response.status, json };
  };

  const tokenOf = async (rail: CallingRail): Promise<string | undefined> => {
    const known = tokens.get(rail);
    if (known !== undefined && Date.now() < known.usableUntilMs) return known.accessToken;
    const timestamp = jakartaIso(Date.now());
    const clientKey = partnerOf(rail);
    const headers = {
      'x-timestamp': timestamp,
      'x-client-key': clientKey,
      'x-signature': signTokenRequest(clientKey, timestamp, privateKey),
    };
    const { json } = await post(TOKEN_PATH, headers, JSON.stringify({ grantType: 'client_credentials' }));
    const token = tokenAnswer.safeParse(json);
    if (!token.success) return undefined;
    const { accessToken, expiresIn } = token.data;
    tokens.set(rail, { accessToken, usableUntilMs: Date.now() + expiresIn * 800 });
    return accessToken;
  };

  const proofOf = async (rail: CallingRail, path: string, body: string, timestamp: string) => {
    const message = { method: 'POST', path, body, timestamp };
    if (!hmacRails.has(rail)) return { 'x-signature': signMessage(message, privateKey) };
    const accessToken = await tokenOf(rail);
    if (accessToken === undefined) return undefined;
    const signature = signTransaction({ ...message, accessToken }, clientSecret);
    return { authorization: `Bearer ${accessToken}`, 'x-signature': signature };
  };

  return {
    async call(rail, service, fields) {
      const body = JSON.stringify(fields);
      const timestamp = jakartaIso(Date.now());
      try {
        const proof = await proofOf(rail, service.path, body, timestamp);
        if (proof === undefined) return { outcome: 'unanswered', reason: 'the gateway gives no access token' };
        const headers = {
          'x-timestamp': timestamp,
          'x-partner-id': partnerOf(rail),
          'x-external-id': newExternalId(),
          'channel-id': CHANNEL_ID,
          ...proof,
        };
        const { http, json } = await post(service.path, headers, body);
        if (http === 401) tokens.delete(rail);
        return readAnswer(http, json, service);
      } catch (error) {
        return { outcome: 'unanswered', reason: error instanceof Error ? error.message : 'no answer' };
      }
    },
  };
}

/**
 * 4xx is the gateway's no, but 401 and 429, which say nothing of the payment; so does an answer without a SNAP code of the
 * service.
 */
function readAnswer(http: number, json: unknown, { code }: GatewayService): GatewayAnswer {
  const answer = anyAnswer.safeParse(json);
  if (!answer.success || !answer.data.responseCode.startsWith(`${http}${code}`)) {
    return { outcome: 'unanswered', reason: `HTTP ${http} without a responseCode of the service` };
  }
  const { responseCode, responseMessage: message } = answer.data;
  if (http === 200) return { outcome: 'done', body: answer.data };
  if (http >= 400 && http < 500 && http !== 401 && http !== 429) return { outcome: 'refused', responseCode, message };
  return { outcome: 'unanswered', reason: `${responseCode} ${message}` };
}

function partnerOf(rail: CallingRail): string {
  return `sandbox-${rail}`;
}

function newExternalId(): string {
  return `${Date.now()}${String(randomInt(1_000_000_000_000)).padStart(12, '0')}`;
}
