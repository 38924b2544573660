import { decodeQris } from '@gerbang/core';
import { AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { PayableStatus, TipIndicator } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { eventually } from '@gerbang/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FakeMerchant, type MoneyIn, refusalOf, useMoneyIn, vaPayment } from './harness.ts';

const world = useMoneyIn();
let moneyIn: MoneyIn;
let database: string;

beforeAll(async () => {
  database = world.newDatabase();
  moneyIn = await world.start(database);
});

const balance = (accountId: string, compartment: string) => world.books.get(`${accountId}:${compartment}`) ?? 0n;
const soon = () => BigInt(moneyIn.clock.now() + 600_000);

describe('QRIS', () => {
  const generate = async (merchant: FakeMerchant, over: object = {}) => {
    const { merchantId, accountId } = merchant;
    const { qrisTransaction } = await moneyIn.qris.generateQris({ merchantId, accountId, amountSen: 25_000_00n, ...over });
    if (qrisTransaction === undefined) throw new Error('no QRIS transaction');
    return qrisTransaction;
  };
  const pay = async (reference: string, over: object = {}) => {
    const payable = { case: 'qris' as const, value: { partnerReference: reference, issuerName: 'Bank Lain', ...over } };
    return (
      await moneyIn.rail.notifyPayment(
        vaPayment(moneyIn.clock, '', { amountSen: 25_000_00n, moneyTaken: true, payable, ...over }),
      )
    ).decision;
  };

  test('is a code over the amount, paid once, with the MDR taken off', async () => {
    const merchant = world.newMerchant({ fees: [{ product: 'qris', channel: '', fixedSen: 0n, basisPoints: 70 }] });
    const code = await generate(merchant);
    expect(decodeQris(code.qrData)).toMatchObject({ type: 'mpm-dynamic', amountSen: 25_000_00n });
    expect(await pay(code.reffNo)).toBe(RailDecision.ACCEPTED);
    const { qrisTransaction: paid } = await moneyIn.qris.getQris({ ...merchant, id: code.id });
    expect(paid).toMatchObject({
      status: PayableStatus.COMPLETED,
      figures: { feeSen: 175_00n, netSen: 24_825_00n, basisPoints: 70 },
      payer: { issuerName: 'Bank Lain' },
    });
    expect(await pay(code.reffNo)).toBe(RailDecision.SUSPENDED);
    await eventually('settled', async () => {
      const { qrisTransaction } = await moneyIn.qris.getQris({ ...merchant, id: code.id });
      return qrisTransaction?.figures?.settledAtMs !== undefined && balance(merchant.accountId, 'available') === 24_825_00n;
    });
  });

  test('has ids that ascend', async () => {
    const merchant = world.newMerchant();
    const ids = (await Promise.all(Array.from({ length: 8 }, () => generate(merchant)))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(8);
    expect((await generate(merchant)).id).toBeGreaterThan(ids.reduce((a, b) => (a > b ? a : b)));
  });

  test('takes the tip that it asks for, and no other', async () => {
    const merchant = world.newMerchant();
    const tip = { tipIndicator: TipIndicator.FIXED, tipValue: 1_000_00n };
    const code = await generate(merchant, tip);
    expect(await pay(code.reffNo, { amountSen: 27_000_00n, tipSen: 2_000_00n })).toBe(RailDecision.SUSPENDED);
    expect(await pay(code.reffNo, { amountSen: 26_000_00n, tipSen: 1_000_00n })).toBe(RailDecision.ACCEPTED);
    const { qrisTransaction } = await moneyIn.qris.getQris({ ...merchant, id: code.id });
    expect(qrisTransaction).toMatchObject({ tipSen: 1_000_00n, figures: { amountSen: 26_000_00n } });
  });

  test('of a frozen account is not shown', async () => {
    const merchant = world.newMerchant();
    const { id } = await generate(merchant);
    const frozen = world.newMerchant({ status: AccountStatus.FROZEN });
    expect((await refusalOf(moneyIn.qris.getQris({ ...frozen, id })))[0]).toBe('frozen');
    expect((await refusalOf(moneyIn.qris.getQris({ ...merchant, id: 0n })))[0]).toBe('transaction_not_found');
  });

  test.each([
    [{ amountSen: 999_00n }, ['amount']],
    [{ amountSen: 10_000_001_00n }, ['amount']],
    [{ expiredAtMs: 1_600_000_000_000n }, ['expired_at']],
  ])('%o is refused', async (over, fields) => {
    expect(await refusalOf(generate(world.newMerchant(), over))).toEqual(['validation', fields]);
  });
});

describe('an e-wallet checkout', () => {
  const create = async (merchant: FakeMerchant, over: object = {}) => {
    const { merchantId, accountId } = merchant;
    const asked = { merchantId, accountId, channel: 'DANA', amountSen: 10_000_00n, ...over };
    const { ewalletCheckout } = await moneyIn.ewallets.createEwalletCheckout(asked);
    if (ewalletCheckout === undefined) throw new Error('no checkout');
    return ewalletCheckout;
  };
  const payable = (reference: string) => ({ case: 'ewallet' as const, value: { partnerReference: reference } });

  test('succeeds when its wallet says so', async () => {
    const merchant = world.newMerchant();
    const checkout = await create(merchant);
    expect(checkout.transactionId).toMatch(/^88[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(checkout.checkoutUrl).toBe(`https://pay.example/ewallet/${checkout.transactionId}`);
    const paid = vaPayment(moneyIn.clock, '', {
      amountSen: 10_000_00n,
      moneyTaken: true,
      payable: payable(checkout.transactionId),
    });
    expect((await moneyIn.rail.notifyPayment(paid)).decision).toBe(RailDecision.ACCEPTED);
    const found = await moneyIn.ewallets.getEwalletCheckout({ ...merchant, transactionId: checkout.transactionId });
    expect(found.ewalletCheckout?.status).toBe(PayableStatus.COMPLETED);
    const failed = { partnerId: 'w', partnerReference: checkout.transactionId, reason: '', failedAtMs: 1n };
    expect((await moneyIn.rail.notifyCheckoutFailed(failed)).decision).toBe(RailDecision.ALREADY_PAID);
  });

  test('fails when its wallet says so, once', async () => {
    const merchant = world.newMerchant();
    const { transactionId } = await create(merchant, { channel: 'OVO', customerPhone: '081234567890' });
    const failed = { partnerId: 'w', partnerReference: transactionId, reason: 'declined', failedAtMs: 1n };
    expect((await moneyIn.rail.notifyCheckoutFailed(failed)).decision).toBe(RailDecision.ACCEPTED);
    expect((await moneyIn.rail.notifyCheckoutFailed(failed)).decision).toBe(RailDecision.DUPLICATE);
    const found = await moneyIn.ewallets.getEwalletCheckout({ ...merchant, transactionId });
    expect(found.ewalletCheckout?.status).toBe(PayableStatus.FAILED);
  });

  test('shows its customer what to confirm where, and how it stands, but nothing else of its merchant', async () => {
    const merchant = world.newMerchant();
    const over = { successRedirectUrl: 'https://toko.example/ok', customerPhone: '081234567890', merchantReffNo: 'order-7' };
    const { transactionId } = await create(merchant, over);
    const { ewalletConfirmation: shown } = await moneyIn.checkout.getEwalletConfirmation({ transactionId });
    const { status, $typeName, ...fields } = shown ?? {};
    expect(status).toMatchObject({ transactionId, status: PayableStatus.ACTIVE });
    expect(fields).toEqual({
      channel: 'DANA',
      amountSen: 10_000_00n,
      merchantName: 'Toko',
      walletUrl: `https://wallet.example/${transactionId}`,
      customerPhoneEnd: '890',
      successRedirectUrl: 'https://toko.example/ok',
    });
    const paid = vaPayment(moneyIn.clock, '', {
      amountSen: 10_000_00n,
      moneyTaken: true,
      payable: payable(transactionId),
    });
    await moneyIn.rail.notifyPayment(paid);
    const { ewalletConfirmation: after } = await moneyIn.checkout.getEwalletConfirmation({ transactionId });
    expect(after).toMatchObject({ status: { status: PayableStatus.COMPLETED }, paidAtMs: paid.paidAtMs });
  });

  test('without a page of its wallet has none to go to; what is no checkout is not found', async () => {
    const { transactionId } = await create(world.newMerchant(), { channel: 'OVO', customerPhone: '081234567890' });
    const { ewalletConfirmation: shown } = await moneyIn.checkout.getEwalletConfirmation({ transactionId });
    expect(shown).toMatchObject({ walletUrl: '', customerPhoneEnd: '890' });
    for (const unknown of [`88${'0'.repeat(26)}`, transactionId.slice(2), 'nonsense', ''])
      expect(await refusalOf(moneyIn.checkout.getEwalletConfirmation({ transactionId: unknown }))).toEqual([
        'transaction_not_found',
        [],
      ]);
  });

  test('stands as the others do, told of many at once', async () => {
    const merchant = world.newMerchant();
    const [first, second] = [await create(merchant), await create(merchant)];
    const transactionIds = [first.transactionId, second.transactionId, `88${'0'.repeat(26)}`, 'nonsense'];
    const { ewalletStatuses } = await moneyIn.checkout.listEwalletStatuses({ transactionIds });
    expect(ewalletStatuses.map((one) => one.transactionId).sort()).toEqual([first.transactionId, second.transactionId].sort());
    const tooMany = moneyIn.checkout.listEwalletStatuses({ transactionIds: Array<string>(501).fill(first.transactionId) });
    expect(await refusalOf(tooMany)).toEqual(['validation', ['transaction_ids']]);
  });

  test('that the wallet does not take is refused', async () => {
    expect((await refusalOf(create(world.newMerchant(), { channel: 'LINKAJA' })))[0]).toBe('transaction_failed');
    expect(await refusalOf(create(world.newMerchant(), { channel: 'OVO' }))).toEqual(['validation', ['customer_phone']]);
  });
});

describe('a retail transaction', () => {
  const create = async (merchant: FakeMerchant, over: object = {}) => {
    const { merchantId, accountId } = merchant;
    const asked = {
      merchantId,
      accountId,
      retailCode: 'ALFAMART',
      amountSen: 20_000_00n,
      customerName: 'Siti',
      expiredAtMs: soon(),
    };
    const { retailTransaction } = await moneyIn.retail.createRetailTransaction({ ...asked, ...over });
    if (retailTransaction === undefined) throw new Error('no retail transaction');
    return retailTransaction;
  };

  test('is paid in cash, the exact amount, once', async () => {
    const merchant = world.newMerchant();
    const { paymentCode, transactionId } = await create(merchant);
    const pay = async (amountSen: bigint) =>
      (
        await moneyIn.rail.notifyPayment(
          vaPayment(moneyIn.clock, '', { amountSen, payable: { case: 'retail', value: { paymentCode } } }),
        )
      ).decision;
    expect(await pay(19_999_00n)).toBe(RailDecision.WRONG_AMOUNT);
    expect(await pay(20_000_00n)).toBe(RailDecision.ACCEPTED);
    expect(await pay(20_000_00n)).toBe(RailDecision.ALREADY_PAID);
    const found = await moneyIn.retail.getRetailTransaction({ ...merchant, transactionId });
    expect(found.retailTransaction?.status).toBe(PayableStatus.COMPLETED);
  });

  test('expires, publishes that once, and then takes nothing', async () => {
    const merchant = world.newMerchant();
    const { paymentCode, transactionId } = await create(merchant, { expiredAtMs: BigInt(moneyIn.clock.now() + 300) });
    await eventually('expired', async () => {
      const found = await moneyIn.retail.getRetailTransaction({ ...merchant, transactionId });
      return found.retailTransaction?.status === PayableStatus.EXPIRED;
    });
    const store = await world.openStore(database);
    const stored = await store.collection('payables').findOne({ account_id: merchant.accountId, kind: 'retail' });
    expect(stored?.tail).toMatchObject([{ event: 'retail.expired' }]);
    const late = vaPayment(moneyIn.clock, '', { amountSen: 20_000_00n, payable: { case: 'retail', value: { paymentCode } } });
    expect((await moneyIn.rail.notifyPayment(late)).decision).toBe(RailDecision.EXPIRED);
  });

  test('the bounds are the merchant’s own where operators have set some', async () => {
    const limits = [{ product: 'retail', minimumSen: 50_000_00n, maximumSen: 0n }];
    expect(await refusalOf(create(world.newMerchant({ limits })))).toEqual(['validation', ['amount']]);
    expect(await refusalOf(create(world.newMerchant({ products: [] })))).toEqual(['validation', ['retail_code']]);
  });
});

describe('a payment link', () => {
  const create = async (merchant: FakeMerchant, over: object = {}) => {
    const { merchantId, accountId } = merchant;
    const { paymentLink } = await moneyIn.links.createPaymentLink({
      merchantId,
      accountId,
      title: 'Kopi',
      amountSen: 30_000_00n,
      ...over,
    });
    if (paymentLink === undefined) throw new Error('no link');
    return paymentLink;
  };
  const open = async (reffNo: string, ipAddress = '10.0.0.1') => {
    const { paymentLinkHistory } = await moneyIn.checkout.openPaymentLink({ reffNo, ipAddress });
    if (paymentLinkHistory === undefined) throw new Error('no history');
    return paymentLinkHistory;
  };
  const choose = async (reffNo: string, paymentMethod: string) => {
    const { paymentLinkHistory } = await moneyIn.checkout.choosePaymentMethod({ reffNo, paymentMethod });
    return paymentLinkHistory?.paymentMethodValue ?? '';
  };
  const link = async (merchant: FakeMerchant, id: bigint) =>
    (await moneyIn.links.getPaymentLink({ ...merchant, id })).paymentLink;
  const payNumber = async (number: string) =>
    (await moneyIn.rail.notifyPayment(vaPayment(moneyIn.clock, number, { amountSen: 30_000_00n }))).decision;

  test('is opened, paid by a chosen method, and counted', async () => {
    const merchant = world.newMerchant();
    const made = await create(merchant, { maxUsage: 2 });
    expect(made.paymentUrl).toBe(`https://pay.example/pay/${made.reffNo}`);
    const history = await open(made.reffNo);
    const number = await choose(history.reffNo, 'VA_BRI');
    expect(await choose(history.reffNo, 'QRIS')).toMatch(/^0002/);
    expect(await choose(history.reffNo, 'VA_BRI')).toBe(number);
    expect(await payNumber(number)).toBe(RailDecision.ACCEPTED);
    expect(await payNumber(number)).toBe(RailDecision.ALREADY_PAID);
    const found = await moneyIn.links.getPaymentLinkHistory({ ...merchant, id: history.id });
    expect(found.paymentLinkHistory).toMatchObject({
      status: PayableStatus.COMPLETED,
      paymentMethod: 'VA_BRI',
      ipAddress: '10.0.0.1',
    });
    expect(await link(merchant, made.id)).toMatchObject({ currentUsage: 1, status: PayableStatus.ACTIVE });
    expect(balance(merchant.accountId, 'pending')).toBe(30_000_00n);
  });

  test('its last use is reserved by who has been issued a number, and given back when the session ends', async () => {
    const merchant = world.newMerchant();
    const made = await create(merchant, { maxUsage: 1 });
    const [first, second] = [await open(made.reffNo), await open(made.reffNo)];
    const number = await choose(first.reffNo, 'VA_BCA');
    expect((await refusalOf(choose(second.reffNo, 'VA_BCA')))[0]).toBe('bad_request');
    expect((await refusalOf(open(made.reffNo)))[0]).toBe('bad_request');
    moneyIn.clock.setOffset(moneyIn.clock.offsetMs() + 901_000);
    await eventually('the use is free again', () => open(made.reffNo));
    expect(await payNumber(number)).toBe(RailDecision.EXPIRED);
    expect(await link(merchant, made.id)).toMatchObject({ currentUsage: 0 });
  });

  const wait = (ms: number) => moneyIn.clock.setOffset(moneyIn.clock.offsetMs() + ms);
  /** Once sessions that are over have given their uses back. */
  const openAgain = async (reffNo: string, ipAddress: string) => {
    let opened: Awaited<ReturnType<typeof open>> | undefined;
    await eventually('a use is free', async () => {
      opened = await open(reffNo, ipAddress).catch(() => undefined);
      return opened !== undefined;
    });
    if (opened === undefined) throw new Error('not opened');
    return opened;
  };

  test('is not kept from the others for long by who holds its last use', async () => {
    const made = await create(world.newMerchant(), { maxUsage: 2 });
    const first = await open(made.reffNo);
    const second = await open(made.reffNo, '10.0.0.2');
    const number = await choose(first.reffNo, 'VA_BCA');
    await choose(second.reffNo, 'VA_BCA');
    const { paymentLinkHistories } = await moneyIn.checkout.listSessions({ reffNos: [first.reffNo, second.reffNo] });
    const left = new Map(paymentLinkHistories.map((one) => [one.reffNo, Number(one.expiredAtMs) - moneyIn.clock.now()]));
    expect(left.get(first.reffNo)).toBeGreaterThan(890_000);
    expect(left.get(second.reffNo)).toBeLessThanOrEqual(300_000);
    // Another method does not make it longer.
    await choose(second.reffNo, 'QRIS');
    wait(301_000);
    await openAgain(made.reffNo, '10.0.0.3');
    expect(await payNumber(number)).toBe(RailDecision.ACCEPTED);
  });

  test('is held by one address three times an hour at most without being paid', async () => {
    const made = await create(world.newMerchant(), { maxUsage: 1 });
    for (let held = 0; held < 3; held++) {
      // All of them are the same /64.
      await choose((await openAgain(made.reffNo, `2001:db8::${held}`)).reffNo, 'VA_BCA');
      wait(301_000);
    }
    const again = await openAgain(made.reffNo, '2001:db8::9');
    expect((await refusalOf(choose(again.reffNo, 'VA_BCA')))[0]).toBe('rate_limited');
    // The others still can, and so can the same address after an hour.
    await choose((await open(made.reffNo, '2001:db8:0:1::1')).reffNo, 'VA_BCA');
    wait(3_600_000);
    await choose((await openAgain(made.reffNo, '2001:db8::9')).reffNo, 'VA_BCA');
  });

  test('is paid by as many customers behind one address as there are uses', async () => {
    const merchant = world.newMerchant();
    const made = await create(merchant, { maxUsage: 6 });
    for (let paid = 0; paid < 6; paid++) {
      const number = await choose((await open(made.reffNo)).reffNo, 'VA_BCA');
      expect(await payNumber(number)).toBe(RailDecision.ACCEPTED);
    }
    expect(await link(merchant, made.id)).toMatchObject({ currentUsage: 6, status: PayableStatus.COMPLETED });
  });

  test('leaves half of its uses to the others, however many one address holds', async () => {
    const made = await create(world.newMerchant(), { maxUsage: 20 });
    let held = 0;
    for (; held < 20; held++) {
      const refused = await choose((await open(made.reffNo)).reffNo, 'VA_BCA').then(
        () => false,
        () => true,
      );
      if (refused) break;
    }
    expect(held).toBe(10);
    await choose((await open(made.reffNo, '10.0.0.2')).reffNo, 'VA_BCA');
  });

  test('that is deleted is not opened; what was issued before can still be paid', async () => {
    const merchant = world.newMerchant();
    const made = await create(merchant);
    const history = await open(made.reffNo);
    const number = await choose(history.reffNo, 'VA_BNI');
    await moneyIn.links.deletePaymentLink({ ...merchant, id: made.id });
    expect((await refusalOf(open(made.reffNo)))[0]).toBe('bad_request');
    expect(await payNumber(number)).toBe(RailDecision.ACCEPTED);
    expect(await link(merchant, made.id)).toMatchObject({ currentUsage: 1, status: PayableStatus.INACTIVE });
  });

  test('is changed while it is active, and its histories are listed', async () => {
    const merchant = world.newMerchant();
    const made = await create(merchant);
    const { paymentLink } = await moneyIn.links.updatePaymentLink({ ...merchant, id: made.id, title: 'Kopi Susu' });
    expect(paymentLink).toMatchObject({ title: 'Kopi Susu', amountSen: 30_000_00n });
    const opened = [await open(made.reffNo), await open(made.reffNo)];
    const query = { ...merchant, limit: 1 };
    const first = await moneyIn.links.listPaymentLinkHistories({ query, paymentLinkId: made.id });
    const rest = await moneyIn.links.listPaymentLinkHistories({
      query: { ...query, cursor: first.nextCursor },
      paymentLinkId: made.id,
    });
    const ids = [...first.paymentLinkHistories, ...rest.paymentLinkHistories].map(({ id }) => id);
    expect(ids).toEqual(opened.map(({ id }) => id).reverse());
    expect(rest.nextCursor).toBe('');
  });

  test('goes on without the wallet that has declined; money that the wallet takes all the same still counts', async () => {
    const merchant = world.newMerchant();
    const history = await open((await create(merchant)).reffNo);
    await choose(history.reffNo, 'EWALLET_DANA');
    const partnerReference = `${history.reffNo}-DANA`;
    const failed = { partnerId: 'w', partnerReference, reason: 'declined', failedAtMs: 1n };
    expect((await moneyIn.rail.notifyCheckoutFailed(failed)).decision).toBe(RailDecision.ACCEPTED);
    expect((await moneyIn.rail.notifyCheckoutFailed(failed)).decision).toBe(RailDecision.DUPLICATE);
    const { paymentLinkHistory } = await moneyIn.checkout.getSession({ reffNo: history.reffNo });
    expect(paymentLinkHistory).toMatchObject({ status: PayableStatus.ACTIVE, declinedPaymentMethods: ['EWALLET_DANA'] });
    expect(await refusalOf(choose(history.reffNo, 'EWALLET_DANA'))).toEqual(['validation', ['payment_method']]);
    expect(await choose(history.reffNo, 'VA_BCA')).toMatch(/^\d{16}$/);
    const payable = { case: 'ewallet' as const, value: { partnerReference } };
    const paid = vaPayment(moneyIn.clock, '', { amountSen: 30_000_00n, moneyTaken: true, payable });
    expect((await moneyIn.rail.notifyPayment(paid)).decision).toBe(RailDecision.ACCEPTED);
    expect(balance(merchant.accountId, 'pending')).toBe(30_000_00n);
  });

  test('tells how many sessions stand at once', async () => {
    const made = await create(world.newMerchant());
    const [first, second] = [await open(made.reffNo), await open(made.reffNo)];
    const reffNos = [first.reffNo, second.reffNo, made.reffNo, `PH${'0'.repeat(26)}`, 'nonsense'];
    const { paymentLinkHistories } = await moneyIn.checkout.listSessions({ reffNos });
    expect(paymentLinkHistories.map(({ reffNo }) => reffNo).sort()).toEqual([first.reffNo, second.reffNo].sort());
    const tooMany = moneyIn.checkout.listSessions({ reffNos: Array<string>(501).fill(first.reffNo) });
    expect(await refusalOf(tooMany)).toEqual(['validation', ['reff_nos']]);
  });

  test('is refused with cards where the merchant has no product for them', async () => {
    const merchant = world.newMerchant();
    for (const paymentMethods of [['CARD'], ['CARD', 'QRIS']])
      expect(await refusalOf(create(merchant, { paymentMethods }))).toEqual(['validation', ['payment_methods']]);
  });

  test('offers virtual accounts of those banks alone that have given numbers', async () => {
    const merchant = world.newMerchant({ products: ['payment-link', 'virtual-account', 'card'] });
    const made = await create(merchant, { paymentMethods: ['VA_BRI', 'VA_BCA', 'CARD'] });
    const elsewhere = await world.start(database, moneyIn.clock, { vaSeries: { BCA: { prefix: '39358', length: 16 } } });
    const { codes } = await elsewhere.links.listPayableMethods({});
    expect(codes.filter((code) => code.startsWith('VA_'))).toEqual(['VA_BCA']);
    expect(codes).toContain('QRIS');
    const asked = { ...merchant, title: 'Kopi', amountSen: 30_000_00n };
    expect((await elsewhere.links.createPaymentLink(asked)).paymentLink?.paymentMethods).toEqual(codes);
    const named = elsewhere.links.createPaymentLink({ ...asked, paymentMethods: ['QRIS', 'VA_BRI'] });
    expect(await refusalOf(named)).toEqual(['validation', ['payment_methods']]);
    const changed = elsewhere.links.updatePaymentLink({ ...merchant, id: made.id, paymentMethods: ['VA_BRI'] });
    expect(await refusalOf(changed)).toEqual(['validation', ['payment_methods']]);
    // A link that was made while the bank still had numbers for us.
    const { reffNo } = await open(made.reffNo);
    expect((await elsewhere.checkout.getSession({ reffNo })).paymentLink?.paymentMethods).toEqual(['VA_BCA', 'CARD']);
    const chosen = elsewhere.checkout.choosePaymentMethod({ reffNo, paymentMethod: 'VA_BRI' });
    expect(await refusalOf(chosen)).toEqual(['validation', ['payment_method']]);
  });

  test('wants the customer’s details where it says so', async () => {
    const made = await create(world.newMerchant(), { requiredCustomerDetail: true });
    const history = await open(made.reffNo);
    expect((await refusalOf(choose(history.reffNo, 'QRIS')))[1]).toEqual(['customer_name', 'customer_email', 'customer_phone']);
    expect((await refusalOf(choose('PHnobody', 'QRIS')))[0]).toBe('transaction_not_found');
  });
});
