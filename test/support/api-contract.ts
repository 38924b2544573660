import { readFileSync } from 'node:fs';
import process from 'node:process';
import { type ApiContract, readApiContract } from '@gerbang/testkit/api-contract';

/** The document that merchants read; undefined outside of tests: a benchmark must not pay for the checks. */
export const apiContract: ApiContract | undefined =
  process.env.VITEST === undefined
    ? undefined
    : readApiContract(JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')));

/** fetch; an answer of the merchant's API that is not in the document throws. */
export async function checkedFetch(...asked: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(...asked);
  const response = await fetch(request);
  const { pathname } = new URL(request.url);
  if (apiContract !== undefined && pathname.startsWith('/api/')) {
    const { status, headers } = response;
    apiContract.checkAnswer({ method: request.method, url: pathname, status, headers, text: await response.clone().text() });
  }
  return response;
}
