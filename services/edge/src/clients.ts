import { PrepaidService } from '@gerbang/proto/gerbang/biller/v1/biller';
import { AcquirerReportService, CardService } from '@gerbang/proto/gerbang/cards/v1/cards';
import { ChargebackService } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { PlanService } from '@gerbang/proto/gerbang/cards/v1/plans';
import { BankReportService, DirectDebitService } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { LedgerService, StatementService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountService, MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import {
  EwalletCheckoutService,
  PaymentLinkService,
  QrisService,
  RetailService,
  VirtualAccountService,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailService } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { CardlessWithdrawalService } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { EwalletTopupService } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import { AccountTransferService, DisbursementService, RailReportService } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { QrisPaymentService } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import { DeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { Foundation } from '@gerbang/service';
import { openChannel, openLedger } from '@gerbang/service/rpc';
import type { Config } from './config.ts';

/** The services behind the edge: what its routes call. */
export type Clients = ReturnType<typeof openClients>;

/** Opens the way to every service behind the edge, whether or not it is there yet. */
export function openClients(foundation: Foundation<Config>) {
  const { config } = foundation;
  const merchant = openChannel(foundation, 'merchant', config.MERCHANT_RPC);
  const ledger = openLedger(foundation);
  const moneyOut = openChannel(foundation, 'money-out', config.MONEY_OUT_RPC);
  const moneyIn = openChannel(foundation, 'money-in', config.MONEY_IN_RPC);
  const directDebit = openChannel(foundation, 'direct-debit', config.DIRECT_DEBIT_RPC);
  const notifier = openChannel(foundation, 'notifier', config.NOTIFIER_RPC);
  const biller = openChannel(foundation, 'biller', config.BILLER_RPC);
  const cards = openChannel(foundation, 'cards', config.CARDS_RPC);
  return {
    merchants: merchant.client(MerchantService),
    accounts: merchant.client(AccountService),
    ledger: ledger.client(LedgerService),
    statements: ledger.client(StatementService),
    disbursements: moneyOut.client(DisbursementService),
    accountTransfers: moneyOut.client(AccountTransferService),
    ewalletTopups: moneyOut.client(EwalletTopupService),
    cardlessWithdrawals: moneyOut.client(CardlessWithdrawalService),
    qrisPayments: moneyOut.client(QrisPaymentService),
    /** What banks report of transfers. */
    moneyOutRails: moneyOut.client(RailReportService),
    virtualAccounts: moneyIn.client(VirtualAccountService),
    qris: moneyIn.client(QrisService),
    ewalletCheckouts: moneyIn.client(EwalletCheckoutService),
    retail: moneyIn.client(RetailService),
    paymentLinks: moneyIn.client(PaymentLinkService),
    /** What banks and acquirers report about money in. */
    moneyInRails: moneyIn.client(RailService),
    directDebits: directDebit.client(DirectDebitService),
    /** What banks report about direct debit. */
    directDebitRails: directDebit.client(BankReportService),
    deliveries: notifier.client(DeliveryService),
    prepaid: biller.client(PrepaidService),
    cards: cards.client(CardService),
    plans: cards.client(PlanService),
    chargebacks: cards.client(ChargebackService),
    /** What acquirers report about card payments. */
    cardRails: cards.client(AcquirerReportService),
  };
}
