import { AccountService, MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { implement } from '@gerbang/rpc';
import { getAccount } from './account/rpc/get-account.ts';
import { listAccounts } from './account/rpc/list-accounts.ts';
import { openAccount } from './account/rpc/open-account.ts';
import { updateAccount } from './account/rpc/update-account.ts';
import { getCallbackSettings } from './callback-settings/rpc/get-callback-settings.ts';
import { listWebhookSettings } from './callback-settings/rpc/list-webhook-settings.ts';
import { updateCallbackSettings } from './callback-settings/rpc/update-callback-settings.ts';
import type { Context } from './context.ts';
import { checkVersions } from './merchant/rpc/check-versions.ts';
import { getAccess } from './merchant/rpc/get-access.ts';
import { getProfile } from './merchant/rpc/get-profile.ts';
import { addCredential } from './operator/rpc/add-credential.ts';
import { createAccount } from './operator/rpc/create-account.ts';
import { createMerchant } from './operator/rpc/create-merchant.ts';
import { disableCredential } from './operator/rpc/disable-credential.ts';
import { fund } from './operator/rpc/fund.ts';
import { listAudit } from './operator/rpc/list-audit.ts';
import { listFees } from './operator/rpc/list-fees.ts';
import { listMerchants } from './operator/rpc/list-merchants.ts';
import { rotateSecret } from './operator/rpc/rotate-secret.ts';
import { setFees } from './operator/rpc/set-fees.ts';
import { setFrozen } from './operator/rpc/set-frozen.ts';
import { setLimits } from './operator/rpc/set-limits.ts';
import { setProducts } from './operator/rpc/set-products.ts';
import { setWhitelist } from './operator/rpc/set-whitelist.ts';
import { issueToken } from './token/rpc/issue-token.ts';
import { listVerificationKeys } from './token/rpc/list-verification-keys.ts';

/**
 * Everything that others may call, and who may. Client secrets leave by only two methods: getAccess to the edge,
 * listWebhookSettings to the notifier.
 */
export function implementations(context: Context) {
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
        getProfile: ['edge', 'money-out', 'money-in'],
        getAccount: ['edge', 'money-out', 'money-in'],
        checkVersions: ['edge', 'money-out', 'money-in'],
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
      OperatorService,
      {
        createMerchant: (request) => createMerchant(context, request),
        createAccount: (request) => createAccount(context, request),
        addCredential: (request) => addCredential(context, request),
        rotateSecret: (request) => rotateSecret(context, request),
        disableCredential: (request) => disableCredential(context, request),
        setWhitelist: (request) => setWhitelist(context, request),
        setProducts: (request) => setProducts(context, request),
        setFees: (request) => setFees(context, request),
        listFees: (request) => listFees(context, request),
        setLimits: (request) => setLimits(context, request),
        setFrozen: (request) => setFrozen(context, request),
        fund: (request) => fund(context, request),
        listMerchants: (request) => listMerchants(context, request),
        listAudit: (request) => listAudit(context, request),
      },
      ['gerbang'],
    ),
  ];
}
