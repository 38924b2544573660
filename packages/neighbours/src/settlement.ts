import { readFileSync } from 'node:fs';
import {
  type BankingCalendar,
  INDONESIAN_BANKING_CALENDAR,
  PRODUCTION_SETTLEMENT,
  parseBankingCalendar,
  parseSettlementRules,
  SANDBOX_SETTLEMENT,
  settlementRuleOf,
  settlesAt,
} from '@gerbang/core';
import { ConfigError } from '@gerbang/runtime';
import { z } from 'zod';

/** Variables of a service whose money in settles (contract §5); `settlementFromConfig` reads them. */
export const settlementShape = {
  SETTLEMENT_RULES: z.string().optional(),
  BANKING_HOLIDAYS: z.string().optional(),
};

/** When money in of a product settles, Unix milliseconds of business time, by when it was paid. */
export type SettlesAt = (product: string, paidAtMs: number) => number;

/** The due dates of settlements as GERBANG_ENV, SETTLEMENT_RULES and BANKING_HOLIDAYS say. Throws ConfigError. */
export function settlementFromConfig(config: {
  GERBANG_ENV: 'sandbox' | 'production';
  SETTLEMENT_RULES?: string | undefined;
  BANKING_HOLIDAYS?: string | undefined;
}): SettlesAt {
  const standard = config.GERBANG_ENV === 'sandbox' ? SANDBOX_SETTLEMENT : PRODUCTION_SETTLEMENT;
  const rules = parseSettlementRules(config.SETTLEMENT_RULES ?? '', standard);
  if (rules === undefined)
    throw new ConfigError(['SETTLEMENT_RULES is not valid: expected product=T+1 09:00 or product=5s, more of them after commas']);
  const calendar = config.BANKING_HOLIDAYS === undefined ? INDONESIAN_BANKING_CALENDAR : readCalendar(config.BANKING_HOLIDAYS);
  return (product, paidAtMs) => settlesAt(paidAtMs, settlementRuleOf(rules, product), calendar);
}

function readCalendar(file: string): BankingCalendar {
  try {
    return parseBankingCalendar(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new ConfigError([`BANKING_HOLIDAYS is not valid: ${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
