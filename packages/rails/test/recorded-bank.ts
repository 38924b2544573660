import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { verifyMessage, verifyTokenRequest, verifyTransaction } from '@gerbang/core';
import type { SnapCredentials } from '../src/snap-client.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SECRET = 'the-client-secret';

/** A request as the provider got it; `signedBy` is the way of signing that its signature is right for. */
export type Recorded = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  signedBy: 'token' | 'own-key' | 'token request' | 'nothing';
};

/** What the provider answers at a path: a responseCode, whose first digits are the HTTP status, and other fields. */
export type Answer = { responseCode: string } & Record<string, unknown>;

/**
 * A provider that answers what a test has recorded for a path, and keeps what it was sent. Its token service, at any path that
 * ends so, always answers, in the way that some providers do: bearer in lower case, and a number of seconds.
 */
export async function startRecordedBank() {
  const answers = new Map<string, Answer>();
  const calls: Recorded[] = [];
  const tokenPaths: string[] = [];
  const server = createServer(async (request, response) => {
    const text = (await request.setEncoding('utf8').toArray()).join('');
    const path = request.url ?? '';
    if (path.endsWith('/access-token/b2b')) {
      tokenPaths.push(path);
      return response.end(JSON.stringify({ responseCode: '2007300', accessToken: 't', tokenType: 'bearer', expiresIn: 900 }));
    }
    calls.push({
      path,
      headers: request.headers,
      body: text === '' ? {} : JSON.parse(text),
      method: request.method ?? '',
      signedBy: signerOf(request, text),
    });
    const answer = answers.get(path) ?? { responseCode: '4040000' };
    return response.writeHead(Number(answer.responseCode.slice(0, 3))).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const credentials: SnapCredentials = {
    url: `http://127.0.0.1:${address.port}`,
    clientKey: 'client',
    clientSecret: SECRET,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    partnerId: 'partner',
    channelId: '',
  };
  return {
    credentials,
    answers,
    calls,
    tokenPaths,
    reset() {
      answers.clear();
      calls.length = 0;
    },
    /** The only call since the last reset. */
    only(): Recorded {
      const [call, ...more] = calls;
      if (call === undefined || more.length > 0) throw new Error(`${calls.length} calls: ${calls.map(({ path }) => path)}`);
      return call;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function signerOf({ method = '', url: path = '', headers }: IncomingMessage, body: string): Recorded['signedBy'] {
  const message = { method, path, body, timestamp: String(headers['x-timestamp']) };
  const signature = String(headers['x-signature']);
  const { authorization, 'x-client-key': clientKey } = headers;
  if (clientKey !== undefined) {
    return verifyTokenRequest(String(clientKey), message.timestamp, signature, publicKey) ? 'token request' : 'nothing';
  }
  if (authorization === undefined) return verifyMessage(message, signature, publicKey) ? 'own-key' : 'nothing';
  const accessToken = authorization.replace('Bearer ', '');
  return verifyTransaction({ ...message, accessToken }, SECRET, signature) ? 'token' : 'nothing';
}
