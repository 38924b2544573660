import { createClock } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { newMerchant, refusalOf, useMerchantService } from './harness.ts';

const system = useMerchantService();

describe('callback settings', () => {
  test('start without URLs and with signatures on; only the named fields change', async () => {
    const { merchants, operators } = await system.start();
    const { merchantId } = await operators.createMerchant(newMerchant);
    expect((await merchants.getCallbackSettings({ merchantId })).settings).toMatchObject({ signatureEnabled: true });
    await merchants.updateCallbackSettings({
      merchantId,
      settings: { transactionNotifUrl: 'https://a.example/t?x=1', disbursementNotifUrl: 'http://127.0.0.1:9/d' },
      update: ['transaction_notif_url', 'disbursement_notif_url'],
    });
    const { settings } = await merchants.updateCallbackSettings({
      merchantId,
      settings: { signatureEnabled: false },
      update: ['transaction_notif_url', 'signature_enabled'],
    });
    expect(settings).toMatchObject({ disbursementNotifUrl: 'http://127.0.0.1:9/d', signatureEnabled: false });
    expect(settings?.transactionNotifUrl).toBeUndefined();
    expect((await merchants.getCallbackSettings({ merchantId })).settings).toEqual(settings);
  });

  test('refuse a wrong value by its field, and change nothing', async () => {
    const { merchants, operators } = await system.start({ httpAllowed: false });
    const { merchantId } = await operators.createMerchant(newMerchant);
    const refused = await refusalOf(
      merchants.updateCallbackSettings({
        merchantId,
        settings: { transactionNotifUrl: 'https://ok.example/', directDebitNotifUrl: 'http://plain.example/' },
        update: ['transaction_notif_url', 'direct_debit_notif_url'],
      }),
    );
    expect(refused).toEqual({
      code: 'validation',
      message: 'direct_debit_notif_url: must be an https URL',
      fields: ['direct_debit_notif_url'],
    });
    const unknown = await refusalOf(merchants.updateCallbackSettings({ merchantId, settings: {}, update: ['partner_id'] }));
    expect(unknown.code).toBe('validation');
    expect((await merchants.getCallbackSettings({ merchantId })).settings?.transactionNotifUrl).toBeUndefined();
  });

  test('of a frozen merchant can be read and not changed', async () => {
    const { merchants, operators } = await system.start();
    const { merchantId } = await operators.createMerchant(newMerchant);
    await operators.setFrozen({ operator: 'ani', merchantId, frozen: true });
    const update = { merchantId, settings: { signatureEnabled: false }, update: ['signature_enabled'] };
    expect((await refusalOf(merchants.updateCallbackSettings(update))).code).toBe('frozen');
    expect((await merchants.getCallbackSettings({ merchantId })).settings).toMatchObject({ signatureEnabled: true });
    await operators.setFrozen({ operator: 'ani', merchantId, frozen: false });
    await merchants.updateCallbackSettings(update);
    expect((await merchants.getCallbackSettings({ merchantId })).settings).toMatchObject({ signatureEnabled: false });
  });

  test('of several updates at once none is lost', async () => {
    const { merchants, operators } = await system.start();
    const { merchantId } = await operators.createMerchant(newMerchant);
    const settings = {
      transactionNotifUrl: 'https://a.example/1',
      disbursementNotifUrl: 'https://a.example/2',
      directDebitNotifUrl: 'https://a.example/3',
      paymentLinkInquiryNotifUrl: 'https://a.example/4',
    };
    const fields = [
      'transaction_notif_url',
      'disbursement_notif_url',
      'direct_debit_notif_url',
      'payment_link_inquiry_notif_url',
      'signature_enabled',
    ];
    await Promise.all(fields.map((field) => merchants.updateCallbackSettings({ merchantId, settings, update: [field] })));
    const after = (await merchants.getCallbackSettings({ merchantId })).settings;
    expect(after).toMatchObject({ ...settings, signatureEnabled: false });
  });
});

describe('webhook settings', () => {
  test('are those of the moment of the event, signed with the newest active secret of now', async () => {
    const clock = createClock(() => 1_790_000_000_000);
    const { merchants, operators } = await system.start({ clock });
    const { merchantId, partnerId, clientId, clientSecret } = await operators.createMerchant(newMerchant);
    const other = await operators.createMerchant(newMerchant);
    const setTo = (url: string | undefined) =>
      merchants.updateCallbackSettings({
        merchantId,
        settings: url === undefined ? {} : { disbursementNotifUrl: url },
        update: ['disbursement_notif_url'],
      });
    clock.setOffset(1_000);
    await setTo('https://a.example/first');
    clock.setOffset(2_000);
    await setTo('https://a.example/second');
    clock.setOffset(3_000);
    await setTo(undefined);

    const urlsAt = async (...offsets: number[]) => {
      const queries = offsets.map((offset) => ({ merchantId, atMs: BigInt(1_790_000_000_000 + offset) }));
      const { items } = await merchants.listWebhookSettings({ queries });
      return items.map((item) => item.settings?.disbursementNotifUrl);
    };
    expect(await urlsAt(500, 1_000, 1_999, 2_000, 9_000)).toEqual([
      undefined,
      'https://a.example/first',
      'https://a.example/first',
      'https://a.example/second',
      undefined,
    ]);

    const secretNow = async () => {
      const { items } = await merchants.listWebhookSettings({ queries: [{ merchantId, atMs: 0n }] });
      return items[0]?.clientSecret;
    };
    expect(await secretNow()).toBe(clientSecret);
    const second = await operators.addCredential({ operator: 'budi', merchantId });
    expect(await secretNow()).toBe(second.clientSecret);
    await operators.disableCredential({ operator: 'budi', merchantId, clientId: second.clientId });
    expect(await secretNow()).toBe(clientSecret);
    await operators.disableCredential({ operator: 'budi', merchantId, clientId });
    const { items } = await merchants.listWebhookSettings({
      queries: [
        { merchantId: 'nobody', atMs: 0n },
        { merchantId, atMs: 0n },
        { merchantId: other.merchantId, atMs: 0n },
      ],
    });
    expect(items).toMatchObject([
      { merchantId: '', clientSecret: '' },
      { merchantId, partnerId, clientSecret: '' },
      { merchantId: other.merchantId, partnerId: other.partnerId, clientSecret: other.clientSecret },
    ]);
  });
});
