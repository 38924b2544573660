import { Pool } from 'undici';
import type { Turn } from '../harness/benchmark.ts';
import { callLoop } from '../harness/call-load.ts';

const BODY = '{"reference_number":"x","amount":{"value":"10.00","currency":"IDR"}}';

/** undici's own POST, its answer read, against a bare server on `port`. */
export function openBarePost(resources: AsyncDisposableStack, port: number) {
  return (options: { callers: number; durationMs: number }): Turn => {
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: options.callers });
    resources.defer(() => pool.close());
    const post = async () => {
      const headers = { 'content-type': 'application/json' };
      const { statusCode, body } = await pool.request({ method: 'POST', path: '/floor', headers, body: BODY });
      await body.text();
      if (statusCode !== 200) throw new Error(`the floor answered ${statusCode}`);
    };
    return { durationMs: options.durationMs, measure: (durationMs) => callLoop(post, { ...options, durationMs }) };
  };
}
