import { createServer, type ServerResponse } from 'node:http';
import { CommandFailure } from './failure.ts';

const PATH = '/callback';

/** Where the browser comes back to with the provider's answer (RFC 8252 §7.3). */
export type Redirect = { url: string; answer(timeoutMs: number): Promise<URL>; close(): Promise<void> };

/** Listens on a port of this machine for the one answer that has this `state`; any other request is refused. */
export async function listenForRedirect(state: string): Promise<Redirect> {
  const { promise: answered, resolve } = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', base);
    const isAnswer = request.method === 'GET' && url?.pathname === PATH && url.searchParams.get('state') === state;
    if (!isAnswer) return reply(response, 404, 'This is not the answer that gerbang login waits for.');
    reply(response, 200, 'You may close this window: gerbang login has the answer.');
    resolve(url);
  });
  await new Promise<void>((ready, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', ready);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  const base = `http://127.0.0.1:${address.port}`;
  return {
    url: `${base}${PATH}`,
    answer: (timeoutMs) => within(answered, timeoutMs),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function reply(response: ServerResponse, status: number, text: string): void {
  const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store', connection: 'close' };
  response.writeHead(status, headers).end(`${text}\n`);
}

async function within<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CommandFailure('no login came in time')), timeoutMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
