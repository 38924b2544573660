import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RefusalError, refuse } from '@gerbang/core';
import type { Received } from '@gerbang/core/workbench';
import { networkOf } from '@gerbang/runtime';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { OVERLOADED } from '../http/admission.ts';
import { orAbsent, text } from '../http/fields.ts';
import { callerAddress } from '../http/ip-whitelist.ts';
import type { Body } from '../http/json-body.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { validate } from '../http/validation.ts';

const BODY_CHARACTERS_MAX = 32 * 1024;
const URL_CHARACTERS_MAX = 8 * 1024;
const SECRET_CHARACTERS_MAX = 1_024;
const HEADERS_MAX = 100;
const PER_ADDRESS_AND_MINUTE = 30;
/** Looking for mistakes takes a processor about a second, more for large bodies. */
const AT_ONCE_MAX = 2;
const TIMEOUT_MS = 10_000;
const HEAP_MAX_MB = 128;

const upTo = (charactersMax: number) =>
  text.refine((value) => value.length <= charactersMax, `must have at most ${charactersMax} characters`);

const given = (charactersMax: number) => upTo(charactersMax).refine((value) => value !== '', 'is required');

const asked = z.object({
  method: given(16),
  url: given(URL_CHARACTERS_MAX),
  headers: z
    .record(z.string(), upTo(URL_CHARACTERS_MAX))
    .refine((headers) => Object.keys(headers).length <= HEADERS_MAX, `must have at most ${HEADERS_MAX} headers`),
  body: upTo(BODY_CHARACTERS_MAX),
  secret: given(SECRET_CHARACTERS_MAX),
  string_to_sign: orAbsent(upTo(BODY_CHARACTERS_MAX + URL_CHARACTERS_MAX)),
});

const input = z.object({ body: asked });

/** What the thread has to explain. */
export type Question = { received: Received; secret: string; nowMs: number; ownString: string | undefined };

type Explainer = (request: FastifyRequest<{ Body: Body | undefined }>) => Promise<object>;

/**
 * POST /docs/signature/explain: the explanation of `gerbang signature explain`, for the workbench page. The secret comes with the
 * request and is neither kept nor logged. The work is done in a thread, so that other requests do not wait for it. Refusals:
 * rate_limited, validation, overloaded, timeout.
 */
export function createExplainer({ trustedProxies, realNow }: Pick<Context, 'trustedProxies' | 'realNow'>): Explainer {
  const addressLimit = createRateLimit(PER_ADDRESS_AND_MINUTE);
  let underWay = 0;
  return async (request) => {
    addressLimit.count(networkOf(callerAddress(request.raw, trustedProxies) ?? ''));
    const { body } = validate(input, { params: {}, query: {}, body: request.body?.json });
    const { secret, string_to_sign: ownString, ...received } = body;
    if (underWay >= AT_ONCE_MAX) throw new RefusalError(OVERLOADED);
    underWay++;
    try {
      return await explainInThread({ received, secret, ownString, nowMs: realNow() });
    } finally {
      underWay--;
    }
  };
}

async function explainInThread(question: Question): Promise<object> {
  const worker = new Worker(new URL('./explain-worker.ts', import.meta.url), {
    workerData: question,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
  });
  try {
    const [explanation]: unknown[] = await once(worker, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (typeof explanation !== 'object' || explanation === null) throw new Error('the thread has answered no explanation');
    return explanation;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw new RefusalError(refuse('timeout'), error);
    throw error;
  } finally {
    await worker.terminate();
  }
}

/**
 * Refuses requests of pages of another origin; programs that are not browsers may ask. Sec-Fetch-Site decides where it is there,
 * because a proxy may have changed Host. On plain http browsers leave it out, and Origin decides. Refusals: forbidden.
 */
export function mustBeOfOurOrigin({ headers }: FastifyRequest): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isForeign = site === undefined ? origin !== undefined && hostOf(origin) !== host : site !== 'same-origin';
  if (isForeign) throw new RefusalError(refuse('forbidden', { message: 'Only pages of this origin may ask' }));
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
