import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { RefusalError, refuse } from '@gerbang/core';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import {
  type BeginRequestSchema,
  BeginResponseSchema,
  type FinishRequestSchema,
  Outcome,
  Role,
} from '@gerbang/proto/gerbang/operator/v1/operator';
import type { CallContext, Implementation } from '@gerbang/rpc';
import { createLogger } from '@gerbang/runtime';
import { describe, expect, test } from 'vitest';
import { ADMINS, type Commands, implementForOperators, type OperatorCall, type OperatorGate, VIEWERS } from '../src/operators.ts';

type Begun = MessageInitShape<typeof BeginResponseSchema>;

const sari = { id: 'sari', name: 'Sari', role: Role.ADMIN };

const context: CallContext = {
  aborted: false,
  onAbort: () => {},
  signal: new AbortController().signal,
  caller: 'gerbang',
  peer: '10.0.0.1:5000',
  authorization: 'Bearer a.b.c',
  request: Buffer.of(1, 2, 3),
};

/** A gate that answers as it is told, and what it was asked. */
function gateOf(begun: Begun | Error, options: { finishFails?: number } = {}) {
  const asked: MessageInitShape<typeof BeginRequestSchema>[] = [];
  const told: MessageInitShape<typeof FinishRequestSchema>[] = [];
  const lines: string[] = [];
  let failures = options.finishFails ?? 0;
  const gate: OperatorGate = {
    service: 'merchant',
    log: createLogger({ service: 'test', level: 'info' }, { write: (line) => lines.push(line) }),
    async begin(request) {
      asked.push(request);
      if (begun instanceof Error) throw begun;
      return create(BeginResponseSchema, begun);
    },
    async finish(request) {
      if (failures-- > 0) throw new RefusalError(refuse('unavailable'));
      told.push(request);
    },
    async checkOperator({ id, roles }) {
      return { allowed: id === 'budi' && roles?.[0] === Role.ADMIN };
    },
  };
  return { gate, asked, told, lines };
}

const unused = { roles: ADMINS, handler: () => Promise.reject(new Error('not part of this test')) };

/** Funding and listing, of all commands. */
function serve(
  gate: OperatorGate,
  commands: Pick<Partial<Commands<typeof OperatorService>>, 'fund' | 'listMerchants'>,
): Implementation {
  const names = OperatorService.methods.map(({ localName }) => [localName, unused]);
  return implementForOperators(gate, OperatorService, { ...Object.fromEntries(names), ...commands });
}

function call(implementation: Implementation, method: string, context: CallContext): Promise<unknown> {
  const handler = implementation.handlers[method];
  if (handler === undefined) throw new Error(`there is no ${method}`);
  return handler({} as never, context);
}

const fundWith = (handler: (call: OperatorCall) => Promise<object>, approval = false) => ({
  fund: { roles: ADMINS, approval: () => approval, handler: (_: unknown, given: OperatorCall) => handler(given) },
});

describe('a command', () => {
  test('begins with its token, hash, roles and source, and ends with what it has changed', async () => {
    const { gate, asked, told } = gateOf({ commandId: 'c1', operator: sari });
    const implementation = serve(
      gate,
      fundWith(async ({ operator, proposer, record }) => {
        record({ target: 'account:a', before: { n: 1 }, after: { n: 2 } });
        return { availableSen: proposer === undefined ? BigInt(operator.id.length) : 0n };
      }),
    );
    expect(await call(implementation, 'fund', context)).toEqual({ availableSen: 4n });
    expect(asked).toEqual([
      {
        token: 'a.b.c',
        service: 'merchant',
        method: '/gerbang.merchant.v1.OperatorService/Fund',
        requestHash: Buffer.from('039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81', 'hex'),
        roles: [Role.ADMIN],
        needsApproval: false,
        readOnly: false,
        source: '10.0.0.1:5000 gerbang',
      },
    ]);
    const done = { commandId: 'c1', outcome: Outcome.DONE, refusal: '', target: 'account:a' };
    expect(told).toEqual([{ ...done, before: '{"n":1}', after: '{"n":2}' }]);
  });

  test.each([
    [new RefusalError(refuse('not_found')), Outcome.REFUSED, 'not_found'],
    [new RefusalError(refuse('unavailable')), Outcome.FAILED, 'unavailable'],
    [new Error('broken'), Outcome.FAILED, 'internal'],
  ])('that throws %s is told so', async (error, outcome, refusal) => {
    const { gate, told } = gateOf({ commandId: 'c1', operator: sari });
    const implementation = serve(
      gate,
      fundWith(() => Promise.reject(error)),
    );
    await expect(call(implementation, 'fund', context)).rejects.toBe(error);
    expect(told).toMatchObject([{ outcome, refusal }]);
  });

  test('that may not begin never runs', async () => {
    const { gate, told } = gateOf(new RefusalError(refuse('forbidden')));
    let ran = false;
    const implementation = serve(
      gate,
      fundWith(async () => {
        ran = true;
        return {};
      }),
    );
    await expect(call(implementation, 'fund', context)).rejects.toMatchObject({ refusal: { refused: 'forbidden' } });
    expect([ran, told]).toEqual([false, []]);
  });

  test('that needs a second operator sends its request, and does not run for who has proposed it', async () => {
    for (const proposer of ['', 'sari']) {
      const { gate, asked } = gateOf({ commandId: 'c1', operator: sari, proposer });
      const implementation = serve(
        gate,
        fundWith(async () => expect.fail('it has run'), true),
      );
      await expect(call(implementation, 'fund', context)).rejects.toThrow('without a second operator');
      expect(asked[0]).toMatchObject({ needsApproval: true, request: context.request });
    }
    const { gate } = gateOf({ commandId: 'c1', operator: sari, proposer: 'budi' });
    const implementation = serve(
      gate,
      fundWith(async ({ proposer }) => ({ proposer }), true),
    );
    expect(await call(implementation, 'fund', context)).toEqual({ proposer: 'budi' });
  });

  test('approves a proposal that its service stores: of another operator, who may still propose it, for a day', async () => {
    const { gate } = gateOf({ commandId: 'c1', operator: sari });
    const ask = async (operator: string, ageMs: number) => {
      let may: boolean | undefined;
      const handler = async ({ mayApprove }: OperatorCall) => {
        may = await mayApprove({ operator, proposedAtMs: 1_000 }, 1_000 + ageMs);
        return {};
      };
      await call(serve(gate, fundWith(handler)), 'fund', context);
      return may;
    };
    const day = 24 * 60 * 60_000;
    expect([await ask('budi', day - 1), await ask('budi', day)]).toEqual([true, false]);
    // The gate says that dewi was disabled.
    expect([await ask('sari', 0), await ask('dewi', 0)]).toEqual([false, false]);
  });

  test('whose end can’t be told answers all the same, and alerts', async () => {
    const retried = gateOf({ commandId: 'c1', operator: sari }, { finishFails: 2 });
    await call(
      serve(
        retried.gate,
        fundWith(async () => ({})),
      ),
      'fund',
      context,
    );
    expect([retried.told.length, retried.lines]).toEqual([1, []]);
    const lost = gateOf({ commandId: 'c1', operator: sari }, { finishFails: 99 });
    expect(
      await call(
        serve(
          lost.gate,
          fundWith(async () => ({ availableSen: 1n })),
        ),
        'fund',
        context,
      ),
    ).toEqual({ availableSen: 1n });
    expect(lost.lines.join('')).toContain('alert: the audit log could not be told how a command has ended');
  });

  test('that only reads is not told to have ended', async () => {
    const { gate, asked, told } = gateOf({ commandId: '', operator: sari });
    const implementation = serve(gate, { listMerchants: { roles: VIEWERS, approval: () => true, handler: async () => ({}) } });
    await call(implementation, 'listMerchants', { ...context, authorization: 'Basic x' });
    expect(asked).toMatchObject([{ token: '', readOnly: true, needsApproval: false }]);
    expect(told).toEqual([]);
  });
});

test('every method of the service must have a command', () => {
  const { gate } = gateOf({ commandId: 'c1', operator: sari });
  expect(() => implementForOperators(gate, OperatorService, {} as Commands<typeof OperatorService>)).toThrow(
    'has no command for',
  );
});
