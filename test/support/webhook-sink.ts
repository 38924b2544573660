import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { apiContract } from './api-contract.ts';
import { isRecord } from './merchant-client.ts';

export type Hook = { headers: IncomingHttpHeaders; url: string; body: Record<string, unknown>; atMs: number };

/**
 * A merchant's webhook receiver on a free port; always answers 200. `close` throws where a webhook was not as the API's document
 * has it.
 */
export type WebhookSink = {
  url: string;
  hooks: Hook[];
  /** Hooks about a reference number. */
  about(reference: string): Hook[];
  close(): Promise<void>;
};

export async function startWebhookSink(): Promise<WebhookSink> {
  const hooks: Hook[] = [];
  const byReference = new Map<string, Hook[]>();
  const undocumented: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      const hook = { headers: request.headers, url: request.url ?? '', body: isRecord(body) ? body : {}, atMs: Date.now() };
      hooks.push(hook);
      try {
        apiContract?.checkWebhook(String(hook.body.event), hook.body);
      } catch (error) {
        undocumented.push(error);
      }
      const reference = isRecord(hook.body.data) ? String(hook.body.data.reference_number) : '';
      byReference.set(reference, [...(byReference.get(reference) ?? []), hook]);
      response.writeHead(200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return {
    url: `http://127.0.0.1:${address.port}/hook?from=gerbang`,
    hooks,
    about: (reference) => byReference.get(reference) ?? [],
    async close() {
      server.close();
      server.closeAllConnections();
      if (undocumented.length > 0)
        throw new AggregateError(undocumented, `${undocumented.length} webhooks are not as documented`);
    },
  };
}
