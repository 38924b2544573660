import { presentCallbackSettings } from '@gerbang/present';
import type { CallbackSettings } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Answer, Handler } from '../../http/route.ts';

/** GET callback-settings (contract §4). */
export const getCallbackSettings: Handler = async ({ merchants }, { caller }) => {
  const { settings } = await merchants.getCallbackSettings({ merchantId: caller.merchantId });
  return answerSettings(settings);
};

/** The settings as both operations answer them. */
export function answerSettings(settings: CallbackSettings | undefined): Answer {
  if (settings === undefined) throw new Error('the merchant service answered no callback settings');
  return { data: presentCallbackSettings(settings) };
}
