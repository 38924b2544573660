import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { verdictOf } from '../issuer.ts';
import { cardAcquirerOf } from '../open.ts';
import { type AReq, type ARes, type Erro, MESSAGE_VERSION, type TransStatus } from './messages.ts';
import { seedOf } from './seed.ts';

/** The directory finds the issuer's ACS by the card, and passes its answer on with an id of its own; or with an error. */
export async function routeAReq(context: Context, areq: AReq): Promise<ARes | Erro> {
  const seed = seedOf((await cardAcquirerOf(context)).seed.current, areq.acctNumber);
  if (seed.delay_ms !== undefined) await sleep(seed.delay_ms, undefined, { signal: context.stopping });
  const { threeDSServerTransID } = areq;
  if (seed.error) return { messageType: 'Erro', messageVersion: MESSAGE_VERSION, threeDSServerTransID, errorCode: '405' };
  const transStatus = seed.trans_status ?? transStatusOf(areq.acctNumber);
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
