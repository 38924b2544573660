import { RefusalError, refuse } from '@gerbang/core';

/** The audit log of all services is listed by OperatorAdminService; this method is kept in the contract only. */
export function movedAudit(): Promise<never> {
  return Promise.reject(
    new RefusalError(refuse('bad_request', { message: 'ask gerbang.operator.v1.OperatorAdminService.ListAudit' })),
  );
}
