import { describe, expect, test } from 'vitest';
import { createLogger, maskPan, startTelemetry, withSpan } from '../src/index.ts';

/** What a logger writes, line by line. */
function capture(work: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  work(createLogger({ service: 'test', level: 'info' }, { write: (line: string) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

describe('nothing secret is logged', () => {
  const secrets = [
    'authorization',
    'access_token',
    'client_secret',
    'clientSecret',
    'signature',
    'x-signature',
    'card_number',
    'card_cvv',
    'otp',
    'pin',
    'token',
    'private_key',
  ];

  test.each(secrets)('%s at any of three levels', (key) => {
    const [line] = capture((log) => log.info({ [key]: 's3cret', a: { [key]: 's3cret', b: { [key]: 's3cret' } } }, 'hello'));
    expect(JSON.stringify(line)).not.toContain('s3cret');
    expect(line).toMatchObject({ service: 'test', level: 'info', msg: 'hello', [key]: '[redacted]' });
  });

  test('card numbers in messages and in errors are masked', () => {
    const lines = capture((log) => {
      log.info('paid with 4811111111111114 today');
      log.error({ err: new Error('card 4811111111111114 was declined') }, 'failed');
    });
    expect(JSON.stringify(lines)).not.toContain('4811111111111114');
    expect(lines[0]?.msg).toBe('paid with 481111******1114 today');
  });

  test('ids and short numbers stay readable', () => {
    expect(maskPan('01ARZ3NDEKTSV4RRFFQ69G5FAV 123456789012 a4811111111111114')).toBe(
      '01ARZ3NDEKTSV4RRFFQ69G5FAV 123456789012 a4811111111111114',
    );
  });
});

test('a line within a request carries its trace id', async () => {
  const stop = await startTelemetry({ service: 'test', otlpEndpoint: undefined });
  const lines: string[] = [];
  const log = createLogger({ service: 'test', level: 'info' }, { write: (line: string) => lines.push(line) });
  await withSpan('outer', {}, () => withSpan('inner', {}, async () => log.info('in')));
  log.info('out');
  const [inside, outside] = lines.map((line) => JSON.parse(line));
  expect(inside.trace_id).toMatch(/^[0-9a-f]{32}$/);
  expect(outside).not.toHaveProperty('trace_id');
  await stop();
});
