import { WEBHOOKS } from '@gerbang/present';
import { z } from 'zod';
import type { oas31, ZodOpenApiPathItemObject } from 'zod-openapi';
import { examplesOf } from './examples.ts';
import { pascal } from './names.ts';

const headers = z.object({
  'X-Event-Id': z.string().meta({ description: 'The same on every attempt and redelivery of one event.' }),
  'X-PARTNER-ID': z.string().meta({ description: "The merchant's API key." }),
});

const signatureHeaders = z.object({
  Authorization: z.string().meta({ description: '`Bearer` and a random token, which is a part of the string to sign.' }),
  'X-Timestamp': z
    .string()
    .regex(/^[0-9]{10}$/)
    .meta({ description: 'Unix seconds of real time.' }),
  'X-Signature': z
    .string()
    .regex(/^[0-9a-f]{128}$/)
    .meta({ description: "Made as a request's, over `POST`, path and query of the URL, the token, the body and X-Timestamp." }),
});

const ANSWERS: Record<`2${string}`, oas31.ResponseObject> = {
  '200': {
    description: 'Received. Answer 200 within 10 seconds; any 2xx counts, and after anything else the webhook is sent again.',
  },
};

/** Every webhook by its event's name. */
export function webhooks(): Record<string, ZodOpenApiPathItemObject> {
  return Object.fromEntries(
    WEBHOOKS.map(({ event, setting, description, body }) => {
      const example = examplesOf(event)?.request;
      return [
        event,
        {
          post: {
            operationId: `on${event.split(/[-._]/).map(pascal).join('')}`,
            summary: event,
            description: `${description}\n\nSent to \`${setting}\`.`,
            requestParams: { header: headers.extend(signatureHeaders.shape) },
            requestBody: {
              required: true,
              content: { 'application/json': { schema: body, ...(example !== undefined && { example }) } },
            },
            responses: ANSWERS,
          },
        },
      ];
    }),
  );
}
