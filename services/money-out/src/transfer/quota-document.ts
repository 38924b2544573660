import type { Quota } from './quota.ts';

/** The fields of an order whose merchant has a quota. */
export type QuotaFields = {
  daily_maximum_sen?: bigint;
  monthly_maximum_sen?: bigint;
  /** Its amount is reserved, and its funds may be held. */
  counted?: true;
};

export function toQuotaFields(quota: Quota | undefined): QuotaFields {
  return quota === undefined ? {} : { daily_maximum_sen: quota.dailySen, monthly_maximum_sen: quota.monthlySen };
}

export function fromQuotaFields(fields: QuotaFields): Quota | undefined {
  const { daily_maximum_sen: dailySen, monthly_maximum_sen: monthlySen } = fields;
  return dailySen === undefined || monthlySen === undefined ? undefined : { dailySen, monthlySen };
}
