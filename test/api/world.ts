import { eventually } from '@gerbang/testkit';
import type { System } from '../../launcher/system.ts';
import { bindAccount } from '../support/bind-account.ts';
import { type Answer, call, dataOf, idr, isRecord, type MerchantClient, signIn } from '../support/merchant-client.ts';
import { pay } from '../support/payment-link.ts';

/** Nothing listens there: webhooks of the run reach nobody. The hooks put it in place of every URL that is generated. */
const DISCARD = 'http://127.0.0.1:9/';
const AMOUNT = 150_000;
const REFERENCE = 'known-1';
const DIRECT_DEBIT = '/api/v2.0/direct-debit';
/** One of the sandbox's test cards: success without 3DS. */
const CARD = { card_number: '4411111111111118', card_expiry: '12/39', card_cvv: '123', card_holder_name: 'BUDI SANTOSO' };

/** Values of fields with which an operation finds something, by its id in the document and the field's name. */
export type KnownValues = Record<string, Record<string, string | number | object>>;

/**
 * Brings about something of each kind, also what takes a customer or time and not requests alone: a paid virtual account, a payment
 * link that was opened, a webhook that was tried. The answer is what the examples of the run name, so that the requests made from
 * them find something.
 */
export async function prepareWorld({ demo }: System): Promise<KnownValues> {
  const [account] = demo.account_ids;
  const merchant = await signIn(demo.base_url, demo);
  await merchant.send('PUT', '/api/v1.0/callback-settings', { transaction_notif_url: DISCARD });
  const { virtualAccount, link, checkout, qris, retail } = await createPaymentRequests(merchant, account);
  await pay(demo.simulator_url, `virtual-accounts/${virtualAccount.number}/pay`, { amount: AMOUNT });
  await call('GET', String(link.payment_url));
  const transfer = await createTransfer(merchant, account);
  const moved = await createAccountTransfer(merchant, demo.account_ids);
  const [shown, canceled] = [
    await createWithdrawal(merchant, account, 'known-3'),
    await createWithdrawal(merchant, account, 'known-4'),
  ];
  await topUp(merchant, account, 'known-5');
  const prepaid = await inquirePrepaid(merchant, demo.biller_url);
  const debits = await useDirectDebit(merchant, account);
  const first = async (list: string) => idOf(await firstItem(merchant, list));
  const [vaTransaction, history, delivery] = [
    await first(`va-transactions/${account}`),
    await first(`payment-link-histories/${account}`),
    await first('webhook-deliveries'),
  ];
  const linkId = { payment_link_id: idOf(link) };
  const order = { reference_number: REFERENCE };
  return {
    showVirtualAccount: { id: idOf(virtualAccount) },
    updateVirtualAccount: { id: idOf(virtualAccount) },
    showVaTransaction: { id: vaTransaction },
    showQris: { id: idOf(qris) },
    inquireQrisStatus: { id: idOf(qris) },
    showEwalletCheckout: { transaction_id: idOf(checkout) },
    showRetailTransaction: { transaction_id: idOf(retail) },
    showPaymentLink: linkId,
    showPaymentLinkV2: linkId,
    updatePaymentLink: linkId,
    showPaymentLinkHistory: { history_id: history },
    showWebhookDelivery: { id: delivery },
    redeliverWebhook: { id: delivery },
    showAccountTransfer: { transaction_id: idOf(moved) },
    showDisbursementV1: { transaction_id: idOf(transfer) },
    inquireDisbursementStatus: order,
    inquireDisbursementStatusV1: order,
    showCardlessWithdrawal: { transaction_id: idOf(shown) },
    cancelCardlessWithdrawal: { transaction_id: idOf(canceled) },
    inquireEwalletTopupStatus: { reference_number: 'known-5' },
    payPrepaid: { reference_number: String(prepaid.reference_number) },
    ...debits,
    ...(await payByCard(merchant, account, demo.simulator_url)),
  };
}

/** A payment to look at, one to cancel, a plan with a cycle, and one that is paused. */
async function payByCard(merchant: MerchantClient, account: string, simulatorUrl: string): Promise<KnownValues> {
  const customer = { name: 'Ani', email: 'ani@example.com', phone: '081234567890' };
  const order = { ...CARD, installment: 1, installment_month: 1, amount: idr(AMOUNT), customer };
  const pay = async () => ({ id: idOf(created(await merchant.send('POST', `/api/v2.0/card/${account}/payment`, order))) });
  const plans = `/api/v2.0/recurring/${account}/plans`;
  const terms = { name: 'Gym', amount: idr(AMOUNT), interval: 'month', interval_count: 1, customer };
  const subscribe = async () => {
    const { plan_id: id } = created(await merchant.send('POST', plans, { ...CARD, ...terms }));
    await eventually('the plan is active', async () => {
      const { status } = dataOf(await merchant.send('GET', `${plans}/${id}`));
      return status === 'active' || undefined;
    });
    return { plan_id: String(id) };
  };
  const [shown, canceled, running, paused] = [await pay(), await pay(), await subscribe(), await subscribe()];
  created(await merchant.send('POST', `${plans}/${paused.plan_id}/pause`, {}));
  return {
    showCardPayment: shown,
    cancelCardPayment: canceled,
    showCardChargeback: { id: await dispute(merchant, account, `${simulatorUrl}/sandbox/card/${shown.id}/chargeback`) },
    showPlan: running,
    listPlanCycles: running,
    resumePlan: paused,
  };
}

/** A chargeback of a payment: its card holder disputes it at the acquirer. */
async function dispute(merchant: MerchantClient, account: string, url: string): Promise<string> {
  await call('POST', url, JSON.stringify({ amount: 1_000 }));
  return eventually('the chargeback is there', async () => {
    const { items } = dataOf(await merchant.send('GET', `/api/v2.0/card/${account}/chargebacks`));
    return Array.isArray(items) && items.length > 0 ? String(idOf(items[0])) : undefined;
  });
}

async function createPaymentRequests(merchant: MerchantClient, account: string) {
  const create = async (path: string, body: object) => created(await merchant.send('POST', `/api/v1.0/${path}`, body));
  const bill = { amount: AMOUNT, merchant_reff_no: 'INV-1' };
  const expiredAt = Date.now() + 3_600_000;
  return {
    virtualAccount: await create(`virtual-accounts/${account}`, {
      ...{ bank_code: 'BCA', kind: 'permanent', name: 'Budi', merchant_reff_no: 'INV-1' },
      ...{ amount_type: 'open', min_amount: AMOUNT, max_amount: 2 * AMOUNT },
    }),
    link: await create(`payment-link-manage/${account}`, { amount: AMOUNT, title: 'Kopi', required_customer_detail: false }),
    checkout: await create(`ewallet-checkout/${account}`, { ...bill, channel: 'OVO', customer_phone: '081234567890' }),
    qris: await create(`qris-dynamic/${account}/generate`, bill),
    retail: await create(`retail-transactions/${account}`, {
      ...bill,
      retail_code: 'ALFAMART',
      customer_name: 'Budi',
      expired_at: expiredAt,
    }),
  };
}

async function createTransfer(merchant: MerchantClient, account: string) {
  const beneficiary = { bank_code: '014', bank_account_number: '1234567890' };
  const order = { account_id: account, reference_number: REFERENCE, ...beneficiary, amount: idr(AMOUNT) };
  return created(await merchant.signed('/api/v2.0/disbursement/transfer', order));
}

async function createAccountTransfer(merchant: MerchantClient, [source, destination]: readonly [string, string]) {
  const order = { source_account_id: source, destination_account_id: destination, amount: AMOUNT, reference_number: 'known-2' };
  return created(await merchant.signed('/api/v1.0/account-transfers', order));
}

async function createWithdrawal(merchant: MerchantClient, account: string, reference: string) {
  const order = { reference_number: reference, bank_code: 'BCA', phone_number: '081234567890', amount: AMOUNT };
  return created(await merchant.send('POST', `/api/v1.0/cardless-withdrawals/${account}`, order));
}

async function topUp(merchant: MerchantClient, account: string, reference: string) {
  const wallet = { channel: 'GOPAY', phone_number: '081234567890' };
  const order = { account_id: account, reference_number: reference, ...wallet, amount: idr(AMOUNT) };
  return created(await merchant.signed('/api/v2.0/ewallet/trigger-topup', order));
}

/** It can be paid for 15 minutes, longer than the run takes. */
async function inquirePrepaid(merchant: MerchantClient, billerUrl: string) {
  const body = { command: 'plntok', data: { customer_id: '12345678901', product_code: 'PLN50' } };
  return created(await merchant.at(billerUrl).send('POST', '/api/v1/prepaid/inquiry', body));
}

/** Bindings for charges, for an end that is begun, and for one that waits for its OTP; a charge that succeeded. */
async function useDirectDebit(merchant: MerchantClient, account: string): Promise<KnownValues> {
  const [charged, ending, confirming] = [
    await bind(merchant, account, 'known-1'),
    await bind(merchant, account, 'known-2'),
    await bind(merchant, account, 'known-3'),
  ];
  const order = { account_id: account, binding_id: charged, reference_number: 'known-6', amount: idr(AMOUNT) };
  const { transaction_id: paid } = created(await merchant.signed(`${DIRECT_DEBIT}/charge`, order));
  const charge = { transaction_id: String(paid) };
  await eventually('the charge succeeds', async () => {
    const { status } = dataOf(await merchant.send('GET', `${DIRECT_DEBIT}/transaction/${paid}`));
    return status === 'SUCCESS' || undefined;
  });
  const { otp_handoff: handoff } = created(await merchant.send('POST', `${DIRECT_DEBIT}/binding/${confirming}/unbind`, {}));
  if (!isRecord(handoff)) throw new Error('the end of a binding has no hand-off');
  return {
    showDirectDebitBinding: { binding_id: charged },
    chargeDirectDebit: { binding_id: charged },
    unbindDirectDebit: { binding_id: ending },
    verifyDirectDebitOtp: { binding_id: confirming, unbind_context: handoff },
    showDirectDebitTransaction: charge,
    refundDirectDebit: charge,
  };
}

/** A customer binds an account on the bank's pages. */
async function bind(merchant: MerchantClient, account: string, customer: string): Promise<string> {
  const person = { customer_id: customer, customer_name: 'Ani', customer_phone: '081234567890' };
  const order = { account_id: account, bank_code: 'BRI', ...person, redirect_url: 'https://shop.example/bound' };
  const { binding_id: id, webview_url: url } = created(await merchant.send('POST', `${DIRECT_DEBIT}/binding`, order));
  await bindAccount(String(url));
  await eventually(`the binding of ${customer} is active`, async () => {
    const { status } = dataOf(await merchant.send('GET', `${DIRECT_DEBIT}/binding/${id}`));
    return status === 'ACTIVE' || undefined;
  });
  return String(id);
}

function created(answer: Answer): Record<string, unknown> {
  if (answer.http >= 300) throw new Error(`not created: ${answer.http} ${answer.text}`);
  return dataOf(answer);
}

/** Deliveries and what customers do come to the lists a moment later. */
function firstItem(merchant: MerchantClient, list: string): Promise<Record<string, unknown>> {
  return eventually(`an item of ${list}`, async () => {
    const { items } = dataOf(await merchant.send('GET', `/api/v1.0/${list}`));
    return Array.isArray(items) ? items.find(isRecord) : undefined;
  });
}

function idOf({ id, transaction_id: transactionId }: Record<string, unknown>): string | number {
  const found = id ?? transactionId;
  if (typeof found !== 'string' && typeof found !== 'number') throw new Error('a resource has no id');
  return found;
}
