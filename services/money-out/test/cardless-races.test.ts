import { create } from '@bufbuild/protobuf';
import { RefusalError } from '@gerbang/core';
import {
  CancelCardlessWithdrawalRequestSchema,
  CreateCardlessWithdrawalRequestSchema,
} from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { expect, test } from 'vitest';
import { cancelCardlessWithdrawal } from '../src/cardless-withdrawal/rpc/cancel.ts';
import { createCardlessWithdrawal } from '../src/cardless-withdrawal/rpc/create.ts';
import type { Context } from '../src/context.ts';
import { onTransferDue } from '../src/transfer/on-due.ts';
import { isEnded } from '../src/transfer/state.ts';
import { useCardless } from './cardless-world.ts';
import { crashing, eventsOf, surviving } from './saga-world.ts';

const newWorld = useCardless('races');
const AMOUNT_SEN = 100_000_00n;
const LIFE_MS = 2 * 3_600_000;
const START_SEN = 1_000_000_00n;

type World = Awaited<ReturnType<typeof newWorld>>;

/** What a process does with a withdrawal whose code the customer has. */
type Act = (world: World, context: Context, transactionId: string) => Promise<unknown>;

const find = async (context: Context, transactionId: string) => {
  const found = await context.transfers.findByTransactionId(transactionId);
  if (found === undefined) throw new Error('gone');
  return found;
};
const fire: Act = async (_world, context, id) => onTransferDue(context, new Set(), await find(context, id));
const cancel: Act = ({ merchantId, accountId }, context, transactionId) =>
  cancelCardlessWithdrawal(context, create(CancelCardlessWithdrawalRequestSchema, { merchantId, accountId, transactionId }));
const expire: Act = async (world, context, id) => {
  world.clock.setOffset(LIFE_MS + 60_000);
  await fire(world, context, id);
};

/** What happens, how it ends, and why where it is canceled; undefined: either may be. */
const scenarios: [string, Act, string, string | undefined][] = [
  [
    'drawn, then asked for',
    async (world, context, id) => {
      world.bank.withdraw(id);
      await fire(world, context, id);
    },
    'succeeded',
    undefined,
  ],
  ['canceled', cancel, 'canceled', 'canceled'],
  ['expired', expire, 'canceled', 'expired'],
  [
    'drawn, then canceled',
    async (world, context, id) => {
      world.bank.withdraw(id);
      await cancel(world, context, id);
    },
    'succeeded',
    undefined,
  ],
  [
    'drawn, then expired',
    async (world, context, id) => {
      world.bank.withdraw(id);
      await expire(world, context, id);
    },
    'succeeded',
    undefined,
  ],
  [
    'canceled and expired at once',
    async (world, context, id) => {
      await Promise.all([cancel(world, context, id), expire(world, context, id)]);
    },
    'canceled',
    undefined,
  ],
  [
    'canceled, and the bank’s answer is lost',
    async (world, context, id) => {
      world.bank.is.mute = true;
      await cancel(world, context, id);
    },
    'canceled',
    'canceled',
  ],
];

const requestOf = ({ merchantId, accountId }: World) =>
  create(CreateCardlessWithdrawalRequestSchema, {
    merchantId,
    accountId,
    referenceNumber: 'ref',
    bankCode: 'BCA',
    phoneNumber: '081234567890',
    amountSen: AMOUNT_SEN,
  });

/** The merchant repeats its order, and timers fire, until there is a code. */
async function untilActive(world: World): Promise<string> {
  const { transfer } = await createCardlessWithdrawal(world.context, requestOf(world));
  const id = transfer?.transactionId ?? '';
  for (let round = 0; round < 5; round++) {
    const { state } = await find(world.context, id);
    if (state.status === 'sent' && state.receipt.withdrawal_code !== undefined) return id;
    await fire(world, world.context, id);
  }
  throw new Error('no code');
}

async function untilEnded(world: World, id: string): Promise<void> {
  for (let round = 0; round < 8; round++) {
    if (isEnded((await find(world.context, id)).state)) return;
    await fire(world, world.context, id);
  }
  throw new Error('no end');
}

test.each(scenarios)('%s, over a crash at every step', async (_name, act, status, reason) => {
  for (let at = 1, goesOn = true; goesOn; at++) {
    for (const when of ['before', 'after'] as const) {
      const world = await newWorld();
      const { wrap, hit } = crashing(at, when);
      const crashed = await world.contextWith(['k1'], wrap);
      await surviving(createCardlessWithdrawal(crashed, requestOf(world)));
      await crashed.background.settled();
      const id = await untilActive(world);
      expect(world.bank.codeOf(id)).not.toBe('');
      const acting = act(world, crashed, id).catch((error: unknown) => {
        // A retry of the crashed write may find what another process has written.
        if (!(error instanceof RefusalError)) throw error;
      });
      await surviving(acting);
      await crashed.background.settled();
      // What was not written before the crash is asked for again.
      if ((await find(world.context, id)).state.status === 'sent') await act(world, world.context, id).catch(() => {});
      world.bank.is.mute = false;
      await untilEnded(world, id);

      const { state, document } = await find(world.context, id);
      const isPaid = status === 'succeeded';
      expect(state.status, `${at} ${when}`).toBe(status);
      if (reason !== undefined) expect(state).toMatchObject({ cancelReason: reason });
      expect(world.bank.cash()).toBe(isPaid ? 1 : 0);
      expect(world.ledger.balances).toEqual({
        available: START_SEN - (isPaid ? AMOUNT_SEN : 0n),
        held: 0n,
        rail: isPaid ? AMOUNT_SEN : 0n,
        fees: 0n,
      });
      const again = await find(world.context, id);
      expect(eventsOf(again)).toEqual(['cardless-withdrawal.accepted', `cardless-withdrawal.${status}`]);
      expect(document.due_at).toBeUndefined();
      goesOn = hit();
    }
  }
});
