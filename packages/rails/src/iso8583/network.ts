import { answerTypeOf } from './exchanges.ts';
import type { Message } from './message.ts';

/** Network management information codes (field 70). */
export const SIGN_ON = '001';
export const SIGN_OFF = '002';
export const ECHO = '301';

const NETWORK_REQUEST = '0800';
const DONE = '00';
const NOT_SUPPORTED = '40';

/** A network management request; trace number and time are set by the link. */
export function networkMessage(code: string): Message {
  return { type: NETWORK_REQUEST, fields: { 70: code } };
}

/** What a network management request of the host is answered with; nothing for any other message. */
export function answerToHost({ type, fields }: Message): Message | undefined {
  if (type !== NETWORK_REQUEST) return undefined;
  const code = fields[70] === ECHO || fields[70] === SIGN_ON || fields[70] === SIGN_OFF ? DONE : NOT_SUPPORTED;
  return { type: answerTypeOf(type), fields: { ...fields, 39: code } };
}
