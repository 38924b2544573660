import { type Html, html } from '../html/html.ts';
import { type Follow, layout } from './layout.ts';
import { liveStatus } from './live-status.ts';
import { summary } from './summary.ts';
import { linkTo, type View } from './view.ts';
import { walletPanel } from './wallet.ts';

export type ConfirmPage = {
  confirmation: {
    amountSen: bigint;
    merchantName: string;
    customerPhoneEnd: string;
    status: { transactionId: string; expiredAtMs: bigint };
  };
  /** Its name. */
  wallet: string;
  hasWalletPage: boolean;
  nowMs: number;
  follow: Follow;
};

/** What an e-wallet checkout asks for, the way to the wallet, and how the payment stands. One form (contract §11). */
export function confirmPage(view: View, { confirmation, wallet, hasWalletPage, nowMs, follow }: ConfirmPage): Html {
  const { texts } = view;
  const { amountSen, merchantName, customerPhoneEnd, status } = confirmation;
  const title = texts.walletTitle(wallet);
  const way = html`<form method="post" action="${linkTo(view, view.path)}"><button class="button" type="submit">${texts.walletOpen(wallet)}</button></form>`;
  const phone = customerPhoneEnd === '' ? '' : `•••• ${customerPhoneEnd}`;
  const content = html`${summary(view, { title, description: '', merchantName, amountSen, expiredAtMs: status.expiredAtMs }, nowMs)}
${walletPanel(view, wallet, { way: hasWalletPage ? way : undefined, phone })}
${liveStatus(view)}`;
  return layout(view, { title, content, reference: status.transactionId, follow });
}
