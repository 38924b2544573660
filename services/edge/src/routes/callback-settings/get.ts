import { type CallbackSettingsJson, callbackSettingsSchema, presentCallbackSettings } from '@gerbang/present';
import type { CallbackSettings } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';

/** GET callback-settings (contract §4). */
export const getCallbackSettings = operation({
  id: 'showCallbackSettings',
  summary: 'Show the callback settings',
  input: z.object({}),
  data: callbackSettingsSchema,
  async handle({ merchants }, { caller }) {
    const { settings } = await merchants.getCallbackSettings({ merchantId: caller.merchantId });
    return { data: dataOf(settings) };
  },
});

/** The settings of an answer. */
export function dataOf(settings: CallbackSettings | undefined): CallbackSettingsJson {
  if (settings === undefined) throw new Error('the merchant service answered no callback settings');
  return presentCallbackSettings(settings);
}
