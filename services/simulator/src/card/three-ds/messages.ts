import { z } from 'zod';

// The messages of 3-D Secure 2 under the names that EMVCo gives them (EMV 3-D Secure, Protocol and Core Functions, 2.2.0).

export const MESSAGE_VERSION = '2.2.0';

/** Y authenticated, C challenge, D decoupled, A attempt, U unavailable, N not authenticated, R rejected. */
export const TRANS_STATUS = ['Y', 'C', 'D', 'A', 'U', 'N', 'R'] as const;
export type TransStatus = (typeof TRANS_STATUS)[number];

/** Authentication request, from the acquirer's 3DS server to the directory. */
export type AReq = {
  messageType: 'AReq';
  messageVersion: string;
  threeDSServerTransID: string;
  deviceChannel: '02';
  messageCategory: '01';
  acctNumber: string;
  cardExpiryDate: string;
  purchaseAmount: string;
  purchaseCurrency: '360';
  purchaseExponent: '2';
  merchantName: string;
  notificationURL: string;
};

/** Authentication response, from the ACS. `acsURL` of a challenge only. */
export type ARes = {
  messageType: 'ARes';
  messageVersion: string;
  threeDSServerTransID: string;
  dsTransID: string;
  acsTransID: string;
  transStatus: TransStatus;
  acsURL?: string;
  eci?: string;
  authenticationValue?: string;
};

/** Instead of an answer. 405: the system that was asked does not answer. */
export type Erro = { messageType: 'Erro'; messageVersion: string; threeDSServerTransID: string; errorCode: '405' };

/** Challenge request, through the customer's browser. */
export const creqSchema = z.object({
  messageType: z.literal('CReq'),
  messageVersion: z.string(),
  threeDSServerTransID: z.uuid(),
  acsTransID: z.uuid(),
  challengeWindowSize: z.enum(['01', '02', '03', '04', '05']),
});
export type CReq = z.output<typeof creqSchema>;

/** Challenge response, through the browser too: it proves nothing. */
export type CRes = {
  messageType: 'CRes';
  messageVersion: string;
  threeDSServerTransID: string;
  acsTransID: string;
  challengeCompletionInd: 'Y';
  transStatus: TransStatus;
  /** 01: the customer has cancelled. */
  challengeCancel?: '01';
};

/** Results request, from the ACS by way of the directory: the only message that says how a challenge has ended. */
export type RReq = {
  messageType: 'RReq';
  messageVersion: string;
  threeDSServerTransID: string;
  dsTransID: string;
  acsTransID: string;
  transStatus: TransStatus;
  eci?: string;
  authenticationValue?: string;
};

/** Results response. 01: received for further processing; anything else is an error of the 3DS server. */
export type RRes = {
  messageType: 'RRes';
  messageVersion: string;
  threeDSServerTransID: string;
  dsTransID: string;
  acsTransID: string;
  resultsStatus: '01' | '02';
};

/** Messages travel through browsers as base64url of their JSON. */
export function encodeMessage(message: CReq | CRes): string {
  return Buffer.from(JSON.stringify(message)).toString('base64url');
}

export function decodeCReq(text: string): CReq | undefined {
  try {
    return creqSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
