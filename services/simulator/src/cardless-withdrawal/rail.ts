import { toMoney } from '@gerbang/core';
import type { Context } from '../context.ts';
import { type Between, newRow, type Row } from '../history/row.ts';
import type { BookItem, SimulatedRail } from '../simulated-rail.ts';
import { CANCEL_CODE, CREATE_CODE, cancelCode, createCode, WITHDRAWAL_STATUS, withdrawalStatus } from './snap.ts';
import { withdrawalsOf } from './store.ts';
import { withdrawCash } from './withdraw.ts';

/** The bank whose machines give cash for a code. */
export const cardlessRail: SimulatedRail = {
  routes: [
    { method: 'POST', url: '/v1.0/cardless-withdrawal/create-code', handler: createCode, service: CREATE_CODE },
    { method: 'POST', url: '/v1.0/cardless-withdrawal/status', handler: withdrawalStatus, service: WITHDRAWAL_STATUS },
    { method: 'POST', url: '/v1.0/cardless-withdrawal/cancel', handler: cancelCode, service: CANCEL_CODE },
    { method: 'POST', url: '/sandbox/cardless/:withdrawal_code/withdraw', handler: withdrawCash, anyone: false },
  ],
  books: { cardless: bookWithdrawals },
  histories: { cardless: { rail: 'cardless', rows: tellWithdrawals } },
};

/** A code that was not used yet is pending. */
async function* bookWithdrawals(context: Context): AsyncGenerator<BookItem> {
  const withdrawals = await withdrawalsOf(context);
  for await (const { merchantReference, transactionId, amountSen, status } of withdrawals.all()) {
    yield {
      reference_number: merchantReference,
      transaction_id: transactionId,
      direction: 'out',
      amount: toMoney(amountSen),
      status: status === 'withdrawn' ? 'success' : status === 'active' ? 'pending' : status,
    };
  }
}

async function tellWithdrawals(context: Context, { fromMs, toMs }: Between): Promise<Row[]> {
  const withdrawals = await withdrawalsOf(context);
  const drawn = await withdrawals.drawnBetween(fromMs, toMs);
  return drawn.map(({ reference, phoneNumber, amountSen, withdrawnAtMs = 0 }) =>
    newRow(`cardless:${reference}`, ['TARIK TUNAI', phoneNumber], {
      atMs: withdrawnAtMs,
      amountSen,
      direction: 'out',
      status: 'booked',
    }),
  );
}
