import { z } from 'zod';
import { aboutAnother, unknownBy, unreadable } from '../snap-call.ts';
import type { SnapAnswer } from '../snap-client.ts';
import { ACCOUNT_CASES, BIND_CASES, TOKEN_CASES, UNBIND_CASES } from './cases.ts';
import { caseOf, refused } from './outcomes.ts';
import type { AccountResult, AuthorizeResult, BindRequest, BindResult, TokenResult, UnbindResult } from './port.ts';

const authorized = z.object({ authCode: z.string().min(1).max(256), state: z.string() });
const bound = z.object({ accountToken: z.string().min(1).max(128), linkId: z.string().max(64).default('') });
const issued = z.object({
  accessToken: z.string().min(1).max(2_048),
  refreshToken: z.string().min(1).max(512),
  accessTokenExpiryTime: z.iso.datetime({ offset: true }),
});
const account = z.object({
  accountNo: z
    .string()
    .regex(/^[0-9]{4,34}$/)
    .optional(),
  accountName: z.string().max(100).default(''),
});

/** Service 10. The state that comes back is that of this authorization, or the code is not believed. */
export function readAuthorized(answer: SnapAnswer, { state }: BindRequest): AuthorizeResult {
  const treatment = BIND_CASES[caseOf(answer)];
  switch (treatment) {
    case 'done': {
      const code = authorized.safeParse(answer.body);
      if (!code.success) return unreadable();
      return code.data.state === state ? { outcome: 'authorized', authCode: code.data.authCode } : aboutAnother();
    }
    case 'failed':
      return refused(answer);
    case 'pending':
    case undefined:
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

/** Service 07. Without the account's token a next step is due at the bank, with any code. */
export function readBound(answer: SnapAnswer): BindResult {
  const treatment = BIND_CASES[caseOf(answer)];
  switch (treatment) {
    case 'done': {
      const done = bound.safeParse(answer.body);
      return done.success ? { outcome: 'bound', ...done.data } : { outcome: 'pending' };
    }
    case 'pending':
      return { outcome: 'pending' };
    case 'failed':
      return refused(answer);
    case undefined:
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

/** Service 74. */
export function readTokens(answer: SnapAnswer): TokenResult {
  const treatment = TOKEN_CASES[caseOf(answer)];
  switch (treatment) {
    case 'done': {
      const tokens = issued.safeParse(answer.body);
      if (!tokens.success) return unreadable();
      const { accessToken, refreshToken, accessTokenExpiryTime } = tokens.data;
      return { outcome: 'issued', accessToken, refreshToken, expiresAtMs: Date.parse(accessTokenExpiryTime) };
    }
    case 'failed':
      return refused(answer);
    case undefined:
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

/** Service 08. */
export function readAccount(answer: SnapAnswer): AccountResult {
  const treatment = ACCOUNT_CASES[caseOf(answer)];
  switch (treatment) {
    case 'done': {
      const found = account.safeParse(answer.body);
      if (!found.success || found.data.accountNo === undefined) return unreadable();
      return { outcome: 'found', accountNumber: found.data.accountNo, accountName: found.data.accountName };
    }
    case 'gone':
      return { ...refused(answer), outcome: 'gone' };
    case undefined:
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}

/** Service 09. */
export function readUnbound(answer: SnapAnswer): UnbindResult {
  const treatment = UNBIND_CASES[caseOf(answer)];
  switch (treatment) {
    case 'done':
      return { outcome: 'unbound' };
    case 'gone':
      return { outcome: 'gone' };
    case 'failed':
      return refused(answer);
    case undefined:
      return unknownBy(answer);
    default:
      return treatment satisfies never;
  }
}
