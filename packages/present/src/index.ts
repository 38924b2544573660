export { accountStatusOf, presentAccount } from './account.ts';
export { presentAccountTransfer } from './account-transfer.ts';
export { presentCallbackSettings } from './callback-settings.ts';
export { presentDelivery } from './delivery.ts';
export { entryTypeOf, presentEntry, presentSettlement } from './statement.ts';
export { presentTransfer, presentTransferForWebhook, transferStatusOf } from './transfer.ts';
export { type DomainEvent, presentWebhook, type UrlSetting, type Webhook } from './webhook.ts';
