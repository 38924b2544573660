import { describeRefusal, type RefusalCode } from '@gerbang/core';
import type { Envelope } from './envelope.ts';

/**
 * `{status, success, data}` or `{status, success, error: {code, message, errors?}, data?}` (merchant-api.md, v1 envelope errors).
 */
export const v1: Envelope = {
  success: (data, status) => ({ http: status, body: { status, success: true, data } }),
  failure(refusal, { data }) {
    const { refused, message, errors } = refusal;
    const { v1Http: status } = describeRefusal(refused);
    const details = data ?? (errors && { errors });
    const error = { code: errorCode(refused, status), message, ...(errors && { errors }) };
    return { http: status, body: { status, success: false, error, ...(details && { data: details }) } };
  },
};

/** The HTTP status, but for one code of its own (contract §2). */
function errorCode(refused: RefusalCode, status: number): number {
  return refused === 'method_not_allowed' ? 4059901 : status;
}
