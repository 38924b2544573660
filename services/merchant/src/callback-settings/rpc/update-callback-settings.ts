import { isRefusal, refuse } from '@gerbang/core';
import type { UpdateCallbackSettingsRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Context } from '../../context.ts';
import { changeMerchant } from '../../merchant/change-merchant.ts';
import { currentSettings, updateSettings } from '../callback-settings.ts';
import { fromMessage, toMessage } from '../message.ts';

/**
 * Replaces the fields named in `update`; holds for every event from now on (contract §10). A frozen merchant cannot change its
 * settings (contract §2). Refusals: merchant_not_found, frozen, validation (naming the field).
 */
export async function updateCallbackSettings(context: Context, request: UpdateCallbackSettingsRequest) {
  const values = fromMessage(request.settings);
  const stored = await changeMerchant(context, request.merchantId, (merchant) => {
    if (merchant.frozen) return refuse('frozen');
    const settings = updateSettings(currentSettings(merchant.callbacks), values, request.update, context.httpAllowed);
    return isRefusal(settings) ? settings : { type: 'set-callbacks', settings };
  });
  context.metrics.callbacksUpdated();
  return { settings: toMessage(currentSettings(stored.merchant.callbacks)) };
}
