import { eventually } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import { newOrder, order } from '../support/disbursement.ts';
import type { Sandbox } from './sandbox.ts';

export function traces(sandbox: () => Sandbox): void {
  test('one payment is one trace, from the edge over gRPC, MongoDB and JetStream to the webhook', async () => {
    const { sink, merchant, account, collector } = sandbox();
    const body = newOrder(account);
    const { data, error, response } = await order(merchant, body);
    expect(data?.response_code, JSON.stringify(error)).toBe('SP000');
    await eventually('the webhook', () => sink.about(body.reference_number)[0]);
    const traceId = response.headers.get('x-request-id');
    const mine = () => collector.spans.filter((span) => span.traceId === traceId);
    const has = (service: string, name: RegExp) =>
      mine().some((span) => span.service === `gerbang-${service}` && name.test(span.name));
    const expected: [string, RegExp][] = [
      ['edge', /transfer/],
      ['money-out', /DisbursementService\/Transfer/],
      ['money-out', /^mongodb insertOne transfers/],
      ['money-out', /LedgerService\/Post/],
      ['ledger', /LedgerService\/Post/],
      ['money-out', /^SNAP .*transfer-interbank/],
      ['money-out', /^publish gerbang\.money-out/],
      ['notifier', /webhook/],
    ];
    await eventually(
      'every part of the road in one trace',
      () => expected.every(([service, name]) => has(service, name)),
      30_000,
    ).catch((error: unknown) => {
      const missing = expected.filter(([service, name]) => !has(service, name));
      throw new Error(
        `missing: ${missing.join('; ')}; there: ${mine()
          .map((span) => `${span.service} ${span.name}`)
          .join('; ')}`,
        { cause: error },
      );
    });
    const ids = new Set(mine().map((span) => span.spanId));
    const roots = mine().filter((span) => !ids.has(span.parentSpanId));
    expect(roots.map((span) => span.service)).toEqual(['gerbang-edge']);
  }, 60_000);
}
