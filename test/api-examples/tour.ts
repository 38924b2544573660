import { eventually } from '@gerbang/testkit';
import { call, type Demo, hmacSha512, isRecord, jakartaDay } from '../support/merchant-client.ts';
import { pay } from '../support/payment-link.ts';
import { cards, subscriptions } from './cards.ts';
import { directDebit } from './direct-debit.ts';
import type { Recorder } from './recorder.ts';

/** Far in the future, so that readers can send the examples as they are years from now. */
const FAR_MS = 4_102_444_800_000;
/** Longer than a QRIS code and a session of a payment link live. */
const SOON_MS = 40 * 60_000;

/**
 * Lets a merchant and its customers use every operation at least once, and cause every webhook. `receiveWebhooks` has them sent to
 * where they are recorded.
 */
export async function useEveryOperation(recorder: Recorder, demo: Demo, receiveWebhooks: () => Promise<void>): Promise<void> {
  const [account, other] = demo.account_ids;
  await tokens(recorder, demo);
  await accounts(recorder);
  await receiveWebhooks();
  const pays = (what: string, body: unknown) => pay(demo.simulator_url, what, body);
  await virtualAccounts(recorder, account, pays);
  await qris(recorder, account, pays);
  await checkouts(recorder, account, pays);
  await retail(recorder, account, pays);
  await paymentLinks(recorder, account, pays);
  await moneyOut(recorder, account, other);
  await ewalletTopups(recorder, account);
  await cardless(recorder, account, pays);
  await qrisPayments(recorder, account);
  await prepaid(recorder, account);
  await directDebit(recorder, account, demo);
  await cards(recorder, account, demo);
  await reports(recorder, account);
  await subscriptions(recorder, account, demo);
  await call('POST', `${demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms: SOON_MS }));
}

/** A code of a shop whose acquirer is not ours. */
const CODE =
  '00020101021226530014ID.CO.BANK.WWW01189360000915000000120202M10303UMI51440014ID.CO.QRIS.WWW0215ID10200000000340303UMI' +
  '5204581253033605405250005802ID5913Warung Bu Sri6010Kab. Demak6105595676304E5E1';

type Pays = (what: string, body: unknown) => Promise<void>;

async function tokens({ call: use, refused }: Recorder, { client_id: id, client_secret: secret }: Demo): Promise<void> {
  const body = { grant_type: 'client_credentials' };
  await use('issueTokenV10', { body, headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` } });
  const signature = hmacSha512(secret, `${id}_${secret}_${jakartaDay()}`);
  await use('issueTokenV11', { body, headers: { 'x-client-id': id, 'x-signature': signature } });
  await refused('issueTokenV11', { body, headers: { 'x-client-id': id, 'x-signature': '0'.repeat(128) } });
}

async function accounts({ call: use, refused }: Recorder): Promise<void> {
  const opened = await use('openAccount', { body: { name: 'Toko Kedua', merchant_reff_no: 'cabang-2' } });
  const path = { account_id: String(opened.id) };
  await use('updateAccount', { path, body: { name: 'Toko Kedua, Bandung' } });
  await use('showAccount', { path });
  await use('listAccounts', { query: '?limit=2' });
  await refused('openAccount', { body: { name: '' } });
  await use('updateCallbackSettings', {
    body: {
      transaction_notif_url: 'https://toko.example/gerbang/money-in',
      disbursement_notif_url: 'https://toko.example/gerbang/money-out',
      direct_debit_notif_url: null,
      payment_link_inquiry_notif_url: null,
      signature_enabled: true,
    },
  });
  await use('showCallbackSettings');
}

async function virtualAccounts({ call: use, refused }: Recorder, account: string, pays: Pays): Promise<void> {
  const of = { account_id: account };
  const body = {
    bank_code: 'BCA',
    kind: 'temporary',
    amount_type: 'closed',
    name: 'Budi Santoso',
    merchant_reff_no: 'INV-1042',
    expired_at: String(FAR_MS),
    max_usage: 1,
    amount: 50_000,
  };
  const made = await use('createVirtualAccount', { path: of, body });
  await pays(`virtual-accounts/${made.number}/pay`, { amount: 50_000 });
  await use('showVirtualAccount', { path: { ...of, id: String(made.id) } });
  await use('listVirtualAccounts', { path: of, query: '?limit=2' });
  const paid = firstOf(await use('listVaTransactions', { path: of, query: '?limit=2' }));
  await use('showVaTransaction', { path: { ...of, id: String(paid.id) } });
  await refused('createVirtualAccount', { path: of, body: { ...body, bank_code: 'XXX', amount: 0 } });
  await refused('showVirtualAccount', { path: { ...of, id: '01JDX0W5B6Q3G8V2K4N7M9PRST' } });
  const permanent = { bank_code: 'BNI', kind: 'permanent', amount_type: 'open', name: 'Siti', merchant_reff_no: 'pelanggan-7' };
  const second = await use('createVirtualAccount', {
    path: of,
    body: { ...permanent, min_amount: 10_000, max_amount: 1_000_000 },
  });
  const path = { ...of, id: String(second.id) };
  await use('updateVirtualAccount', { path, body: { name: 'Siti Aminah', max_amount: 2_000_000 } });
  await use('deleteVirtualAccount', { path });
  await use('createVirtualAccount', { path: of, body });
}

async function qris({ call: use }: Recorder, account: string, pays: Pays): Promise<void> {
  const of = { account_id: account };
  const body = { amount: 25_000, merchant_reff_no: 'meja-4', tip: { indicator: 'percentage', value: 5 } };
  const made = await use('generateQris', { path: of, body });
  await use('listQris', { path: of, query: '?limit=2' });
  await pays('qris/pay', { qr_data: made.qr_data });
  for (const operation of ['inquireQrisStatus', 'showQris']) await use(operation, { path: { ...of, id: Number(made.id) } });
  // One that expires.
  await use('generateQris', { path: of, body });
}

async function checkouts({ call: use }: Recorder, account: string, pays: Pays): Promise<void> {
  const of = { account_id: account };
  const body = {
    channel: 'DANA',
    amount: 45_000,
    merchant_reff_no: 'INV-1043',
    success_redirect_url: 'https://toko.example/selesai',
  };
  const made = await use('createEwalletCheckout', { path: of, body });
  await pays(`ewallet/${made.transaction_id}/confirm`, { outcome: 'success' });
  await use('showEwalletCheckout', { path: { ...of, transaction_id: String(made.transaction_id) } });
  await use('listEwalletCheckouts', { path: of, query: '?limit=2' });
}

async function retail({ call: use, refused }: Recorder, account: string, pays: Pays): Promise<void> {
  const of = { account_id: account };
  const body = {
    retail_code: 'ALFAMART',
    amount: 75_000,
    customer_name: 'Budi Santoso',
    expired_at: FAR_MS,
    merchant_reff_no: 'INV-1044',
  };
  const made = await use('createRetailTransaction', { path: of, body });
  await pays(`retail/${made.payment_code}/pay`, { amount: 75_000 });
  await use('showRetailTransaction', { path: { ...of, transaction_id: String(made.transaction_id) } });
  await refused('createRetailTransaction', { path: of, body: { ...body, amount: 5_000 } });
}

async function paymentLinks({ call: use }: Recorder, account: string, pays: Pays): Promise<void> {
  const of = { account_id: account };
  const body = {
    title: 'Kopi Susu Gula Aren',
    description: 'Pesanan #1042, diantar hari ini',
    amount: 30_000,
    max_usage: 2,
    required_customer_detail: false,
    expired_at: FAR_MS,
    success_redirect_url: 'https://toko.example/selesai',
    payment_methods: ['VA_BCA', 'QRIS'],
  };
  await use('listPaymentMethods');
  const made = await use('createPaymentLink', { path: of, body });
  const session = await openSession(String(made.payment_url));
  const chosen = await fetch(session, {
    method: 'POST',
    body: new URLSearchParams({ payment_method: 'VA_BCA' }),
    redirect: 'manual',
  });
  if (chosen.status !== 303) throw new Error(`no method was chosen: ${chosen.status}`);
  const path = { ...of, payment_link_id: Number(made.id) };
  const opened = firstOf(await use('listPaymentLinkHistories', { path: of, query: '?limit=2' }));
  const history = { ...of, history_id: Number(opened.id) };
  const { payment_method_value: number } = await use('showPaymentLinkHistory', { path: history });
  await pays(`virtual-accounts/${number}/pay`, { amount: 30_000 });
  await use('showPaymentLinkHistory', { path: history });
  // A session that expires.
  await openSession(String(made.payment_url));
  for (const operation of ['showPaymentLink', 'showPaymentLinkV2']) await use(operation, { path });
  await use('listPaymentLinks', { path: of, query: '?limit=2' });
  const second = await use('createPaymentLink', { path: of, body });
  const other = { ...of, payment_link_id: Number(second.id) };
  await use('updatePaymentLink', { path: other, body: { title: 'Kopi Susu Gula Aren, besar', amount: 35_000 } });
  await use('deletePaymentLink', { path: other });
}

async function openSession(url: string): Promise<URL> {
  const opened = await fetch(url, { redirect: 'manual' });
  const location = opened.headers.get('location');
  if (location === null) throw new Error(`the link was not opened: ${opened.status}`);
  return new URL(location, url);
}

async function moneyOut({ call: use, refused }: Recorder, account: string, other: string): Promise<void> {
  const beneficiary = { bank_code: '014', bank_account_number: '1234567890' };
  const fee = `?account_id=${account}&bank_code=014`;
  const amount = { value: '150000.00', currency: 'IDR' };
  const order = { account_id: account, reference_number: 'gaji-2026-11-001', ...beneficiary, description: 'Gaji November' };
  const unknown = { ...beneficiary, bank_account_number: '1234560404' };
  for (const [version, value] of [
    ['', amount],
    ['V1', 150_000],
  ] as const) {
    const reference_number = `${order.reference_number}${version}`;
    await use(`checkBeneficiary${version}`, { body: beneficiary });
    await refused(`checkBeneficiary${version}`, { body: unknown });
    await use(`showDisbursementFee${version}`, { query: fee });
    const ordered = await use(`transferDisbursement${version}`, { body: { ...order, reference_number, amount: value } });
    await use(`inquireDisbursementStatus${version}`, { body: { account_id: account, reference_number } });
    await refused(`inquireDisbursementStatus${version}`, { body: { account_id: account, reference_number: 'nothing' } });
    await use(`listDisbursements${version}`, { query: `?account_id=${account}&limit=2` });
    const failing = { ...order, reference_number: `${reference_number}-x`, bank_account_number: '1234560001', amount: value };
    await refused(`transferDisbursement${version}`, { body: failing });
    await refused(`transferDisbursement${version}`, {
      body: { ...order, reference_number, amount: value, description: 'Bonus' },
    });
    if (version === 'V1') {
      await use('showDisbursementV1', { path: { account_id: account, transaction_id: String(ordered.transaction_id) } });
    }
  }
  const move = {
    source_account_id: account,
    destination_account_id: other,
    amount: 50_000,
    reference_number: 'pindah-1',
    note: 'Kas kecil',
  };
  const moved = await use('createAccountTransfer', { body: move });
  await use('showAccountTransfer', { path: { transaction_id: String(moved.transaction_id) } });
  await use('listAccountTransfers', { query: '?limit=2' });
}

async function ewalletTopups({ call: use, refused }: Recorder, account: string): Promise<void> {
  const wallet = { channel: 'GOPAY', phone_number: '081234567890' };
  await use('checkWallet', { body: wallet });
  await refused('checkWallet', { body: { ...wallet, phone_number: '081234560404' } });
  const amount = { value: '50000.00', currency: 'IDR' };
  const order = { account_id: account, reference_number: 'hadiah-2026-11-001', ...wallet, amount, note: 'Hadiah undian' };
  await use('triggerEwalletTopup', { body: order });
  const failing = { ...order, reference_number: `${order.reference_number}-x`, phone_number: '081234560001' };
  await refused('triggerEwalletTopup', { body: failing });
  await refused('triggerEwalletTopup', { body: { ...order, note: 'Bonus' } });
  const { reference_number } = order;
  await use('inquireEwalletTopupStatus', { body: { account_id: account, reference_number } });
  await refused('inquireEwalletTopupStatus', { body: { account_id: account, reference_number: 'nothing' } });
}

async function cardless({ call: use, refused }: Recorder, account: string, pays: Pays): Promise<void> {
  const of = { account_id: account };
  const body = { reference_number: 'tunai-1', bank_code: 'BCA', phone_number: '081234567890', amount: 100_000 };
  const made = await use('createCardlessWithdrawal', { path: of, body: { ...body, expired_at: FAR_MS } });
  await use('showCardlessWithdrawal', { path: { ...of, transaction_id: String(made.transaction_id) } });
  await pays(`cardless/${made.withdrawal_code}/withdraw`, {});
  await use('listCardlessWithdrawals', { path: of, query: '?limit=2' });
  await refused('createCardlessWithdrawal', { path: of, body: { ...body, amount: 70_000 } });
  await refused('createCardlessWithdrawal', { path: of, body: { ...body, amount: 150_000 } });
  await refused('cancelCardlessWithdrawal', { path: { ...of, transaction_id: String(made.transaction_id) } });
  const second = await use('createCardlessWithdrawal', { path: of, body: { ...body, reference_number: 'tunai-2' } });
  await use('cancelCardlessWithdrawal', { path: { ...of, transaction_id: String(second.transaction_id) } });
}

async function qrisPayments({ call: use, refused }: Recorder, account: string): Promise<void> {
  const path = { account_id: account };
  const reference_number = 'qris-2026-11-042';
  await use('inquireQrisPayment', { path, body: { reference_number, qr_data: CODE } });
  await refused('inquireQrisPayment', { path, body: { reference_number: 'qris-x', qr_data: `${CODE.slice(0, -4)}0000` } });
  await use('creditQris', { path, body: { reference_number } });
  await use('inquireQrisPaymentStatus', { path, body: { reference_number, scope: 'issuer' } });
  await refused('inquireQrisPaymentStatus', { path, body: { reference_number: 'nothing', scope: 'issuer' } });
  await refused('creditQris', { path, body: { reference_number, amount: { value: '99000.00', currency: 'IDR' } } });
}

async function prepaid({ call: use, refused }: Recorder, account: string): Promise<void> {
  const asked = (customer_id: string) => ({ command: 'plntok', data: { customer_id, product_code: 'PLN50' } });
  await use('listPrepaidProducts', { query: '?command=plntok' });
  const { reference_number } = await use('inquirePrepaid', { body: asked('12345678901') });
  await refused('inquirePrepaid', { body: asked('12345670404') });
  await refused('inquirePrepaid', { body: asked('12345670503') });
  const of = (reference: unknown) => ({ command: 'plntok', data: { reference_number: reference, account_id: account } });
  await use('payPrepaid', { body: of(reference_number) });
  const { reference_number: failing } = await use('inquirePrepaid', { body: asked('12345670001') });
  await refused('payPrepaid', { body: of(failing) });
  await refused('payPrepaid', { body: of('nothing') });
  await use('inquirePrepaid', { body: asked('12345678901') });
}

async function reports({ call: use, refused }: Recorder, account: string): Promise<void> {
  const of = { account_id: account };
  await use('showMerchantBalance');
  await use('showAccountBalance', { path: of });
  await refused('showAccountBalance', { path: { account_id: '01JDX0W5B6Q3G8V2K4N7M9PRST' } });
  await use('listStatementEntries', { path: of, query: '?limit=3' });
  const settled = async () => itemsOf(await use('listSettlements', { query: '?limit=2' }));
  await eventually('money settles', async () => (await settled()).length > 1, 30_000);
  const delivered = async () => itemsOf(await use('listWebhookDeliveries', { query: '?limit=2&status=delivered' }))[0];
  const id = String((await eventually('a webhook is delivered', delivered, 30_000)).id);
  await use('showWebhookDelivery', { path: { id } });
  await use('redeliverWebhook', { path: { id } });
}

function itemsOf({ items }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(items) ? items.filter(isRecord) : [];
}

function firstOf(page: Record<string, unknown>): Record<string, unknown> {
  const [first] = itemsOf(page);
  if (first === undefined) throw new Error('the page has no items');
  return first;
}
