import type { GetCallbackSettingsRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Context } from '../../context.ts';
import { mustFind } from '../../merchant/change-merchant.ts';
import { currentSettings } from '../callback-settings.ts';
import { toMessage } from '../message.ts';

/** The merchant's callback settings as of now. Refusals: merchant_not_found. */
export async function getCallbackSettings(context: Context, { merchantId }: GetCallbackSettingsRequest) {
  const stored = await mustFind(context, merchantId);
  return { settings: toMessage(currentSettings(stored.merchant.callbacks)) };
}
