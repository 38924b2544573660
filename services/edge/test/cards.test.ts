import { RefusalError, refuse } from '@gerbang/core';
import { CardService } from '@gerbang/proto/gerbang/cards/v1/cards';
import { PlanService } from '@gerbang/proto/gerbang/cards/v1/plans';
import { implement, type RpcServer, startRpcServer } from '@gerbang/rpc';
import { testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Edge, startEdge } from './edge-harness.ts';

const CARD = { card_number: '4411111111111118', card_expiry: '12/39', card_cvv: '123', card_holder_name: 'BUDI SANTOSO' };
const CUSTOMER = { name: 'Budi', email: 'budi@example.com', phone: '081234567890' };
const AMOUNT = { value: '250000.00', currency: 'IDR' };
const PLAN_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

let edge: Edge;
let cards: RpcServer;
const asked: { callerAddress: string }[] = [];

beforeAll(async () => {
  const unused = async () => ({});
  const tell = async (request: { callerAddress: string }) => {
    asked.push(request);
    throw new RefusalError(refuse('frozen'));
  };
  cards = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: testLog('cards'),
    implementations: [
      implement(CardService, { pay: tell, cancel: unused, getPayment: unused }, []),
      implement(
        PlanService,
        {
          createPlan: tell,
          replaceCard: tell,
          getPlan: unused,
          listPlans: unused,
          listCycles: unused,
          movePlan: unused,
        },
        [],
      ),
    ],
    ready: () => true,
  });
  edge = await startEdge({ CARDS_RPC: `127.0.0.1:${cards.port}`, TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(async () => {
  await edge?.close();
  await cards?.close();
});

test.each([
  ['a payment', 'POST', 'card', '/payment', { ...CARD, amount: AMOUNT, customer: CUSTOMER }],
  [
    'a plan',
    'POST',
    'recurring',
    '/plans',
    { ...CARD, amount: AMOUNT, customer: CUSTOMER, name: 'Gym', interval: 'month', interval_count: 1 },
  ],
  ['another card of a plan', 'PUT', 'recurring', `/plans/${PLAN_ID}/card`, CARD],
])("%s carries the address of the merchant's server, behind trusted proxies too", async (_what, method, product, path, body) => {
  const merchant = edge.merchant({ merchantWhitelist: ['203.0.113.0/24'] });
  const headers = { ...edge.signedIn(merchant), 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
  const { http } = await edge.send(method, `/api/v2.0/${product}/${merchant.accountIds[0]}${path}`, { headers, body });
  expect([http, asked.at(-1)?.callerAddress]).toEqual([403, '203.0.113.9']);
});
