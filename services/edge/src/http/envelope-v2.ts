import { describeRefusal } from '@gerbang/core';
import type { Envelope } from './envelope.ts';

/** `{response_code, response_message, data}`; an error's data is `{message, errors?, …echoed fields}` (contract §2). */
export const v2: Envelope = {
  success: (data) => ({ http: 200, body: { response_code: 'SP000', response_message: 'Success', data } }),
  failure(refusal, { data, echo }) {
    const { spCode, http, message: meaning } = describeRefusal(refusal.refused);
    const { message, errors } = refusal;
    const context = data ?? { ...echo, ...refusal.echo };
    return {
      http,
      body: { response_code: spCode, response_message: meaning, data: { ...context, message, ...(errors && { errors }) } },
    };
  },
};
