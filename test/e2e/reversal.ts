import { eventually } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import { inquire, newOrder, transfer } from '../support/disbursement.ts';
import { call, isRecord, sen, statusOf } from '../support/merchant-client.ts';
import type { Hook } from '../support/webhook-sink.ts';
import type { Sandbox } from './sandbox.ts';

/** A bank takes back a transfer that it has paid, and reports so on rails_url. */
export function reversals(sandbox: () => Sandbox): void {
  /** Transfers and waits until the merchant was notified of it. */
  async function pay() {
    const { sink, merchant, account } = sandbox();
    const data = await transfer(merchant, newOrder(account));
    expect(data.transaction_status.code).toBe('00');
    const paid = { reference: data.reference_number, id: data.transaction_id, gross: sen(data.gross_amount) };
    await eventually('the webhook of the payment', () => sink.about(paid.reference).length > 0);
    return paid;
  }

  const reverse = (id: string) => call('POST', `${sandbox().system.demo.simulator_url}/sandbox/transfers/${id}/reverse`, '{}');
  const outcomeOf = ({ body }: Hook) => [body.event, body.response_code, isRecord(body.data) && statusOf(body.data)];

  test('money that came back is on the account again, and the merchant is notified', async () => {
    const { system, sink, merchant, account } = sandbox();
    const before = await merchant.balance(account);
    const paid = await pay();
    expect(before.available - (await merchant.balance(account)).available).toBe(paid.gross);
    expect(paid.gross).toBeGreaterThan(15_000_000n);

    expect((await reverse(paid.id)).json).toEqual({ reversed: true, told: true });
    const refunded = await inquire(merchant, account, paid.reference);
    expect(refunded.transaction_status.code).toBe('04');
    expect(await merchant.balance(account)).toEqual(before);
    const outcomes = await eventually('the webhook of the return', () => {
      const hooks = sink.about(paid.reference);
      return hooks.length > 1 ? hooks.map(outcomeOf) : undefined;
    });
    expect(outcomes).toEqual([
      ['disbursement', 'SP000', '00'],
      ['disbursement', 'SP001', '04'],
    ]);
    expect(await system.verifyLedger()).toEqual([]);

    expect((await reverse(paid.id)).json).toEqual({ reversed: true, told: true });
    expect(await inquire(merchant, account, paid.reference)).toEqual(refunded);
    expect(await merchant.balance(account)).toEqual(before);
    // The webhook of a later transfer: one for the repeated report would be here by then.
    await pay();
    expect(sink.about(paid.reference)).toHaveLength(2);
    expect(await system.verifyLedger()).toEqual([]);
  });
}
