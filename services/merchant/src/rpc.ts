import { AccountService, MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { OperatorAdminService, OperatorGateService, type SetUpRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type CallContext, implement } from '@gerbang/rpc';
import { ADMINS, FINANCE, implementForOperators, type OperatorGate, SUPPORT, VIEWERS } from '@gerbang/service/operators';
import { getAccount } from './account/rpc/get-account.ts';
import { listAccounts } from './account/rpc/list-accounts.ts';
import { openAccount } from './account/rpc/open-account.ts';
import { updateAccount } from './account/rpc/update-account.ts';
import { getApproval, listApprovals, rejectApproval } from './approval/rpc.ts';
import { listAudit } from './audit/rpc/list-audit.ts';
import { verifyAudit } from './audit/rpc/verify-audit.ts';
import { getCallbackSettings } from './callback-settings/rpc/get-callback-settings.ts';
import { listWebhookSettings } from './callback-settings/rpc/list-webhook-settings.ts';
import { updateCallbackSettings } from './callback-settings/rpc/update-callback-settings.ts';
import type { Context } from './context.ts';
import { checkOperator } from './gate/check-operator.ts';
import { beginFor, finishFor, localGate } from './gate/rpc.ts';
import { checkVersions } from './merchant/rpc/check-versions.ts';
import { getAccess } from './merchant/rpc/get-access.ts';
import { getProfile } from './merchant/rpc/get-profile.ts';
import { feeNeedsApproval, limitNeedsApproval } from './operator/needs-approval.ts';
import { addCredential } from './operator/rpc/add-credential.ts';
import { createAccount } from './operator/rpc/create-account.ts';
import { createMerchant } from './operator/rpc/create-merchant.ts';
import { disableCredential } from './operator/rpc/disable-credential.ts';
import { fund } from './operator/rpc/fund.ts';
import { movedAudit } from './operator/rpc/list-audit.ts';
import { listFees } from './operator/rpc/list-fees.ts';
import { listMerchants } from './operator/rpc/list-merchants.ts';
import { rotateSecret } from './operator/rpc/rotate-secret.ts';
import { setFees } from './operator/rpc/set-fees.ts';
import { setFrozen } from './operator/rpc/set-frozen.ts';
import { setLimits } from './operator/rpc/set-limits.ts';
import { setProducts } from './operator/rpc/set-products.ts';
import { setWhitelist } from './operator/rpc/set-whitelist.ts';
import { disablingNeedsApproval, enrolmentNeedsApproval, roleNeedsApproval } from './operators/needs-approval.ts';
import { disableOperator } from './operators/rpc/disable-operator.ts';
import { enrolOperator } from './operators/rpc/enrol-operator.ts';
import { listOperators, whoAmI } from './operators/rpc/list-operators.ts';
import { setRole } from './operators/rpc/set-role.ts';
import { setUp } from './operators/rpc/set-up.ts';
import { issueToken } from './token/rpc/issue-token.ts';
import { listVerificationKeys } from './token/rpc/list-verification-keys.ts';

/** Services that keep a directory of merchants and accounts. */
const DIRECTORIES = ['edge', 'money-out', 'money-in', 'direct-debit', 'biller', 'cards'];

/**
 * Everything that others may call, and who may. Client secrets leave by only two methods: getAccess to the edge,
 * listWebhookSettings to the notifier.
 */
export function implementations(context: Context) {
  const gate = localGate(context);
  return [
    implement(
      MerchantService,
      {
        getAccess: (request) => getAccess(context, request),
        getProfile: (request) => getProfile(context, request),
        getAccount: (request) => getAccount(context, request),
        checkVersions: (request) => checkVersions(context, request),
        issueToken: (request) => issueToken(context, request),
        listVerificationKeys: () => listVerificationKeys(context),
        getCallbackSettings: (request) => getCallbackSettings(context, request),
        updateCallbackSettings: (request) => updateCallbackSettings(context, request),
        listWebhookSettings: (request) => listWebhookSettings(context, request),
      },
      {
        getAccess: ['edge'],
        getProfile: DIRECTORIES,
        getAccount: DIRECTORIES,
        checkVersions: DIRECTORIES,
        issueToken: ['edge'],
        listVerificationKeys: ['edge'],
        getCallbackSettings: ['edge'],
        updateCallbackSettings: ['edge'],
        listWebhookSettings: ['notifier'],
      },
    ),
    implement(
      AccountService,
      {
        listAccounts: (request) => listAccounts(context, request),
        openAccount: (request) => openAccount(context, request),
        updateAccount: (request) => updateAccount(context, request),
      },
      ['edge'],
    ),
    implement(
      OperatorGateService,
      {
        begin: (request, call) => beginFor(context, request, call),
        finish: (request, call) => finishFor(context, request, call),
        checkOperator: (request) => checkOperator(context, request),
      },
      ['biller', 'cards', 'direct-debit', 'ledger', 'money-in', 'money-out', 'notifier'],
    ),
    merchantCommands(context, gate),
    operatorCommands(context, gate),
  ];
}

/** What operators do about merchants. */
function merchantCommands(context: Context, gate: OperatorGate) {
  return implementForOperators(gate, OperatorService, {
    createMerchant: { roles: ADMINS, handler: (request, call) => createMerchant(context, request, call) },
    createAccount: { roles: SUPPORT, handler: (request, call) => createAccount(context, request, call) },
    addCredential: { roles: ADMINS, approval: always, handler: (request, call) => addCredential(context, request, call) },
    rotateSecret: { roles: ADMINS, approval: always, handler: (request, call) => rotateSecret(context, request, call) },
    disableCredential: { roles: SUPPORT, handler: (request, call) => disableCredential(context, request, call) },
    setWhitelist: { roles: SUPPORT, handler: (request, call) => setWhitelist(context, request, call) },
    setProducts: { roles: ADMINS, handler: (request, call) => setProducts(context, request, call) },
    setFees: {
      roles: FINANCE,
      approval: (request) => feeNeedsApproval(context, request),
      handler: (request, call) => setFees(context, request, call),
    },
    listFees: { roles: VIEWERS, handler: (request) => listFees(context, request) },
    setLimits: {
      roles: FINANCE,
      approval: (request) => limitNeedsApproval(context, request),
      handler: (request, call) => setLimits(context, request, call),
    },
    setFrozen: { roles: SUPPORT, handler: (request, call) => setFrozen(context, request, call) },
    fund: { roles: FINANCE, approval: always, handler: (request, call) => fund(context, request, call) },
    listMerchants: { roles: VIEWERS, handler: (request) => listMerchants(context, request) },
    listAudit: { roles: VIEWERS, handler: movedAudit },
  });
}

/** What operators do about operators, approvals and the audit log. */
function operatorCommands(context: Context, gate: OperatorGate) {
  const implementation = implementForOperators(gate, OperatorAdminService, {
    // Replaced below: it is the only command without a token.
    setUp: { roles: [], handler: () => Promise.reject(new Error('a set-up has no token')) },
    enrolOperator: {
      roles: ADMINS,
      approval: enrolmentNeedsApproval,
      handler: (request, call) => enrolOperator(context, request, call),
    },
    setRole: {
      roles: ADMINS,
      approval: (request) => roleNeedsApproval(context, request),
      handler: (request, call) => setRole(context, request, call),
    },
    disableOperator: {
      roles: ADMINS,
      approval: (request) => disablingNeedsApproval(context, request),
      handler: (request, call) => disableOperator(context, request, call),
    },
    listOperators: { roles: VIEWERS, handler: () => listOperators(context) },
    whoAmI: { roles: VIEWERS, handler: (_, call) => whoAmI(context, call) },
    listApprovals: { roles: VIEWERS, handler: () => listApprovals(context) },
    getApproval: { roles: VIEWERS, handler: (request) => getApproval(context, request) },
    rejectApproval: { roles: FINANCE, handler: (request, call) => rejectApproval(context, request, call) },
    listAudit: { roles: VIEWERS, handler: (request) => listAudit(context, request) },
    verifyAudit: { roles: VIEWERS, handler: (request) => verifyAudit(context, request) },
  });
  const handlers = {
    ...implementation.handlers,
    setUp: (request: SetUpRequest, call: CallContext) => setUp(context, request, call),
  };
  return { ...implementation, handlers };
}

const always = () => true;
