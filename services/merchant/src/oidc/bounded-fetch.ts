const BODY_BYTES_MAX = 256 * 1024;

/** As `fetch`; fails where the answer's body is larger than 256 KiB, and follows no redirect. */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) throw new Error(`${url} answers with more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, headers });
}
