import { TransactionStatusCode, transferStatusOf } from '@gerbang/present';
import { z } from 'zod';

/** The `status` filter of money-out lists: a two-digit code of merchant-api.md that a recorded transaction can have. */
export const transferStatus = z
  .enum(TransactionStatusCode.exclude(['07']).options, 'must be a status code from 00 to 06')
  .meta({ description: 'Only those with this status code.' })
  .transform(transferStatusOf)
  .optional();
