import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CardData, openRestCardRail, type RestCardRail } from '../../src/card/index.ts';

const NUMBER = '4811111111111114';
let answer: { status: number; json: object };
let rail: RestCardRail;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.json));
  });
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  rail = openRestCardRail({ url: `http://127.0.0.1:${port}`, clientKey: 'k', clientSecret: 's' });
});
afterAll(async () => {
  await rail.close();
  server.close();
});

const authorise = () =>
  rail.authorise(
    {
      reference: 'r',
      amountSen: '10000',
      installmentMonths: 1,
      merchantReference: '',
      merchantName: 'Toko',
      returnUrl: 'https://x',
    },
    new CardData({ number: NUMBER, expiry: '12/39', cvv: '123', holderName: 'BUDI' }),
    { signal: AbortSignal.timeout(5_000) },
  );

test.each<[string, { status: number; json: object }]>([
  [
    'a decline',
    {
      status: 200,
      json: {
        reference: 'r',
        amount: { value: '100.00', currency: 'IDR' },
        status: 'declined',
        decline: { code: '14', reason: `Invalid card ${NUMBER}` },
      },
    },
  ],
  ['an error', { status: 422, json: { error: { code: 'invalid_card', message: `4811 1111 1111 1114 \u202eis not valid` } } }],
  [
    'a reference',
    {
      status: 200,
      json: {
        reference: 'r',
        acquirer_reference: NUMBER,
        approval_code: '1',
        amount: { value: '100.00', currency: 'IDR' },
        status: 'authorised',
      },
    },
  ],
])('a card number that the acquirer echoes in %s goes no further', async (_what, given) => {
  answer = given;
  const said = await authorise();
  expect(['failed', 'authorised']).toContain(said.outcome);
  expect(JSON.stringify(said).replaceAll(/[ -]/g, '')).not.toContain(NUMBER);
});
