import { refuse } from '@gerbang/core';
import { answeringMalformed } from '@gerbang/service';
import { ANSWER_HEADERS } from './answer.ts';
import type { Envelope } from './envelope.ts';
import { v2 } from './envelope-v2.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers what is no request in the envelope of the path that it names. */
export function malformedIn(envelopeFor: (path: string) => Envelope) {
  return answeringMalformed(({ status, meaning, path }) => {
    const body =
      envelopeFor(path) === v2
        ? v2.failure(refuse('bad_request', { message: meaning }), {}).body
        : { status, success: false, error: { code: status, message: meaning } };
    return { type: JSON_TYPE, body: JSON.stringify(body), headers: ANSWER_HEADERS };
  });
}
