import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { verdictOf } from '../issuer.ts';
import { cardAcquirerOf } from '../open.ts';
import { type AReq, type ARes, MESSAGE_VERSION, type TransStatus } from './messages.ts';

/** The directory finds the issuer's ACS by the card, and passes its answer on with an id of its own. */
export async function routeAReq(context: Context, areq: AReq): Promise<ARes> {
  const { seed } = await cardAcquirerOf(context);
  if (seed.current.delay_ms > 0) await sleep(seed.current.delay_ms, undefined, { signal: context.stopping });
  const { threeDSServerTransID } = areq;
  const transStatus = seed.current.trans_status ?? transStatusOf(areq.acctNumber);
  const isAuthenticated = transStatus === 'Y' || transStatus === 'A';
  return {
    messageType: 'ARes',
    messageVersion: MESSAGE_VERSION,
    threeDSServerTransID,
    dsTransID: randomUUID(),
    acsTransID: randomUUID(),
    transStatus,
    ...(transStatus === 'C' && { acsURL: `${context.publicUrl}/card/acs/challenge` }),
    ...(isAuthenticated && { eci: eciOf(transStatus), authenticationValue: randomBytes(20).toString('base64') }),
  };
}

/** 05: authenticated, 06: an attempt, 07: neither. */
export function eciOf(transStatus: TransStatus): string {
  if (transStatus === 'Y') return '05';
  return transStatus === 'A' ? '06' : '07';
}

/** The ACS of the sandbox's issuers: only the test cards of contract §7 have a challenge. */
function transStatusOf(acctNumber: string): TransStatus {
  return verdictOf(acctNumber, undefined).challenges ? 'C' : 'Y';
}
