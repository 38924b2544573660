import type { IssueTokenResponse } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { z } from 'zod';
import { Timestamp } from './schemas.ts';
import { iso } from './time.ts';

export const accessTokenSchema = z
  .strictObject({
    access_token: z
      .string()
      .regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/)
      .meta({ description: 'A JWT, to be sent as `Authorization: Bearer`.' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().positive().meta({ description: 'Seconds.' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'AccessToken', description: 'The token that every other request carries.' });

export type AccessTokenJson = z.output<typeof accessTokenSchema>;

/** A new access token (contract §3). */
export function presentAccessToken(issued: IssueTokenResponse): AccessTokenJson {
  return {
    access_token: issued.accessToken,
    token_type: 'Bearer',
    expires_in: issued.expiresInSeconds,
    expires_at: iso(issued.expiresAtMs),
  };
}
