import { describe, expect, test } from 'vitest';
import { compareWithLog, listedChanges } from './change-log.ts';
import { comparable } from './comparable.ts';
import { findBreakingChanges, hasGo } from './oasdiff.ts';

const ACCOUNTS = '/api/v1.0/accounts';
const goThere = await hasGo();

/** A document of two operations and a webhook, anew each time, to change. */
function document() {
  const account = {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'status'],
    properties: {
      id: { type: 'string' },
      status: { enum: ['active', 'inactive'] },
      merchant_reff_no: { type: ['string', 'null'] },
      currency: { const: 'IDR' },
    },
  };
  const order: { type: string; required: string[]; properties: Record<string, object> } = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      kind: { type: 'string', enum: ['main', 'branch'] },
      note: { type: ['string', 'null'] },
    },
  };
  const answer = (status: number) => ({
    [status]: {
      description: 'The account',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Account' } } },
    },
  });
  const event = {
    type: 'object',
    additionalProperties: false,
    required: ['event', 'account'],
    properties: {
      event: { const: 'account-opened' },
      account: { anyOf: [{ $ref: '#/components/schemas/Account' }, { type: 'null' }] },
    } as Record<string, object>,
  };
  return {
    openapi: '3.1.1',
    info: { title: 'Accounts', version: '1' },
    paths: {
      [ACCOUNTS]: {
        post: {
          operationId: 'openAccount',
          requestBody: { required: true, content: { 'application/json': { schema: order } } },
          responses: answer(201),
        },
      },
      [`${ACCOUNTS}/{account_id}`]: {
        get: {
          operationId: 'showAccount',
          parameters: [{ name: 'account_id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: answer(200),
        },
      },
    } as Record<string, Record<string, { operationId: string }>>,
    webhooks: {
      'account-opened': {
        post: {
          requestBody: { content: { 'application/json': { schema: event } } },
          responses: { 200: { description: 'Taken' } },
        },
      },
    },
    components: { schemas: { Account: account } },
    parts: { account, order, event },
  };
}

type Document = ReturnType<typeof document>;

/** The breaking changes that `change` makes, as `id in operation`. */
async function breaks(change: (changed: Document) => unknown): Promise<string[]> {
  const changed = document();
  change(changed);
  const textOf = ({ parts: _, ...text }: Document) => JSON.stringify(text);
  const changes = await findBreakingChanges(textOf(document()), textOf(changed));
  return [...new Set(changes.map(({ id, operation }) => `${id} in ${operation}`))].sort();
}

describe.skipIf(!goThere)('what breaks a merchant is found', () => {
  const shown = `GET ${ACCOUNTS}/{account_id}`;
  const opened = `POST ${ACCOUNTS}`;
  const cases: [string, (changed: Document) => unknown, string[]][] = [
    ['nothing', () => {}, []],
    [
      'a field of an answer that is gone',
      ({ parts }) => Reflect.deleteProperty(parts.account.properties, 'merchant_reff_no'),
      [
        `response-optional-property-removed in ${shown}`,
        `response-optional-property-removed in ${opened}`,
        'response-optional-property-removed in WEBHOOK account-opened',
      ],
    ],
    [
      'a new required field of a request',
      ({ parts: { order } }) => {
        order.properties.reason = { type: 'string' };
        order.required.push('reason');
      },
      [`new-required-request-property in ${opened}`],
    ],
    [
      'a new optional field of a request breaks nobody',
      ({ parts: { order } }) => {
        order.properties.reason = { type: 'string' };
      },
      [],
    ],
    [
      'a route that is gone',
      ({ paths }) => Reflect.deleteProperty(paths, `${ACCOUNTS}/{account_id}`),
      [`api-path-removed-without-deprecation in ${shown}`],
    ],
    [
      'an enum of a request that is narrower',
      ({ parts: { order } }) => {
        order.properties.kind = { type: 'string', enum: ['main'] };
      },
      [`request-property-enum-value-removed in ${opened}`],
    ],
    [
      'null that is no longer taken',
      ({ parts: { order } }) => {
        order.properties.note = { type: 'string' };
      },
      [`request-property-became-not-nullable in ${opened}`],
    ],
    [
      'another name of an operation',
      ({ paths }) => {
        for (const [path, item] of Object.entries(paths))
          if (path === ACCOUNTS && item.post) item.post.operationId = 'createAccount';
      },
      [`api-operation-id-removed in ${opened}`],
    ],
    [
      'a webhook that is gone',
      ({ webhooks }) => Reflect.deleteProperty(webhooks, 'account-opened'),
      ['api-path-removed-without-deprecation in WEBHOOK account-opened'],
    ],
    [
      'a new field of a webhook breaks nobody',
      ({ parts: { event } }) => {
        event.properties.at = { type: 'string' };
        event.required.push('at');
      },
      [],
    ],
  ];
  test.each(cases)(
    '%s',
    async (_, change, expected) => {
      expect(await breaks(change)).toEqual(expected);
    },
    120_000,
  );

  test('a constant with another value', async () => {
    const found = await breaks(({ parts }) => {
      parts.account.properties.currency.const = 'USD';
    });
    expect(found).toContain(`response-property-enum-value-added in ${shown}`);
  }, 120_000);
});

describe('the change log', () => {
  const log = (lines: string) =>
    `# Changes\n\nFormat: - **Breaking** this is no line\n\n## Unreleased\n\n${lines}\n\n## 2026-11-01\n\n- **Breaking** \`old\` in \`GET /old\`: x\n`;
  const change = { id: 'new-required-request-property', operation: `POST ${ACCOUNTS}`, text: 'added the new required property' };

  test('lists changes of several operations, over several lines', () => {
    const line =
      '- **Breaking** `field-removed` in `GET /a`,\n  `WEBHOOK qris-transaction`: the field\n  is gone.\n- A new field.';
    expect(listedChanges(log(line))).toEqual([{ id: 'field-removed', operations: ['GET /a', 'WEBHOOK qris-transaction'] }]);
  });

  test('a line that is not in the format is refused', () => {
    expect(() => listedChanges(log('- **Breaking** the field is gone'))).toThrow('not in the format');
  });

  test('a change passes once it is listed', () => {
    expect(compareWithLog([change], [])).toEqual({ unlisted: [change], outdated: [] });
    const listed = listedChanges(log(`- **Breaking** \`${change.id}\` in \`${change.operation}\`: give a reason.`));
    expect(compareWithLog([change], listed)).toEqual({ unlisted: [], outdated: [] });
  });

  test('another operation or a released section lists nothing', () => {
    const other = listedChanges(log(`- **Breaking** \`${change.id}\` in \`PUT ${ACCOUNTS}\`: give a reason.`));
    expect(compareWithLog([change], other)).toEqual({
      unlisted: [change],
      outdated: [`\`${change.id}\` in \`PUT ${ACCOUNTS}\``],
    });
    expect(listedChanges(log(''))).toEqual([]);
  });
});

test('a webhook is compared as an answer, a constant as an enum', () => {
  const schema = { type: 'object', properties: { event: { const: 'paid' }, const: { type: 'string' } } };
  const media = { 'application/json': { schema } };
  const text = JSON.stringify({ openapi: '3.1.1', paths: {}, webhooks: { paid: { post: { requestBody: { content: media } } } } });
  const compared = { type: 'object', properties: { event: { enum: ['paid'] }, const: { type: 'string' } } };
  expect(comparable(text)).toEqual({
    openapi: '3.1.1',
    paths: {
      '/webhooks/paid': {
        get: { responses: { 200: { description: 'paid', content: { 'application/json': { schema: compared } } } } },
      },
    },
  });
});
