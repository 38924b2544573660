import { createServer } from 'node:http';
import { z } from 'zod';

/** A call that the wallets got: SNAP's service and the body. */
export type WalletCall = { service: string; body: Record<string, unknown>; externalId: string };

/** What they answer: a responseCode and further fields, or silence. */
type Answer = { responseCode: string; [field: string]: unknown } | 'silence';

const SERVICES: Readonly<Record<string, string>> = {
  '/v1.0/access-token/b2b': '73',
  '/v1.0/emoney/account-inquiry': '37',
  '/v1.0/emoney/topup': '38',
  '/v1.0/emoney/topup-status': '39',
};

/** E-wallets over real SNAP; each answer is the test's. */
export async function startScriptedWallets(answer: (call: WalletCall) => Answer) {
  const calls: WalletCall[] = [];
  const answerTo = (call: WalletCall): Answer => {
    if (call.service === '73') return { responseCode: '2007300', accessToken: 't', expiresIn: '900' };
    calls.push(call);
    return answer(call);
  };
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = z.record(z.string(), z.unknown()).parse(JSON.parse(Buffer.concat(chunks).toString()));
    const service = SERVICES[request.url ?? ''] ?? '';
    const said = answerTo({ service, body, externalId: String(request.headers['x-external-id']) });
    if (said === 'silence') return;
    response.writeHead(Number(said.responseCode.slice(0, 3)), { 'content-type': 'application/json' });
    response.end(JSON.stringify({ responseMessage: 'said the wallet', ...said }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    of: (service: string) => calls.filter((call) => call.service === service),
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
