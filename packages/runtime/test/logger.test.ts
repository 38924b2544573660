import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { createCardNumberAlarm, createLogger, type Logger, startTelemetry, withSpan } from '../src/index.ts';

type Line = Record<string, unknown>;

/** What a logger writes, line by line. */
function capture(work: (log: Logger) => void): Line[] {
  const lines: string[] = [];
  work(createLogger({ service: 'test', level: 'info' }, { write: (line: string) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

/** Fields that the compiler has not looked at. */
const unseen = (fields: Record<string, unknown>): { reason?: string } => fields;

describe('only listed fields are logged', () => {
  test.each(['authorization', 'client_secret', 'signature', 'card_number', 'card_cvv', 'otp', 'token', 'body', 'customer'])(
    '%s is dropped',
    (name) => {
      const [, line] = capture((log) => log.info(unseen({ [name]: 's3cret', reason: 'kept' }), 'hello'));
      expect(line).toMatchObject({ service: 'test', level: 'info', msg: 'hello', reason: 'kept' });
      expect(JSON.stringify(line)).not.toMatch(/s3cret/);
      expect(line).not.toHaveProperty(name);
    },
  );

  test('a field that is dropped is named, once', () => {
    const lines = capture((log) => {
      for (let i = 0; i < 3; i++) log.info(unseen({ pin: '1' }), 'hello');
    });
    expect(lines.filter(({ alert }) => alert === 'log_field_dropped')).toMatchObject([{ level: 'error', field: 'pin' }]);
    expect(lines).toHaveLength(4);
  });

  test('an object is dropped under a listed name too: its fields are not listed', () => {
    const [, line] = capture((log) => log.info(unseen({ reason: { pin: 's3cret' }, code: ['s3cret'] }), 'hello'));
    expect(JSON.stringify(line)).not.toContain('s3cret');
  });

  test('the compiler refuses them, also from a variable and from a spread', () => {
    const fields = { reason: 'x', pin: '1' };
    const anything: object = fields;
    capture((log) => {
      // @ts-expect-error
      log.info({ pin: '1' }, 'hello');
      // @ts-expect-error
      log.info(fields, 'hello');
      // @ts-expect-error
      log.info({ ...fields, code: 'x' }, 'hello');
      // @ts-expect-error
      log.info(anything, 'hello');
      // @ts-expect-error
      log.info({ reason: { pin: '1' } }, 'hello');
    });
  });

  test('of an error its type, message and stack are written, and nothing that it carries', () => {
    const error = Object.assign(new TypeError('wrong', { cause: new Error('below') }), { document: { pin: 's3cret' } });
    const [line] = capture((log) => log.error({ err: error, cause: 'a text' }, 'failed'));
    expect(line).toMatchObject({ err: { type: 'TypeError', message: 'wrong: below' }, cause: 'a text' });
    expect(JSON.stringify(line)).not.toContain('s3cret');
  });
});

describe('card numbers are masked in the serialised line', () => {
  const PAN = '4811111111111114';

  test.each<[string, (log: Logger) => void]>([
    ['a message', (log) => log.info(`paid with ${PAN} today`)],
    ['a message with blanks', (log) => log.info('paid with 4811 1111 1111 1114 today')],
    ['a message with line breaks', (log) => log.info('4811\n1111\n1111\t1114')],
    ['a message with JSON that has line breaks', (log) => log.info(JSON.stringify({ text: '4811\n1111\r\n1111\t1114' }))],
    ['a message in fullwidth digits', (log) => log.info('paid with ４８１１１１１１１１１１１１１４ today')],
    ['a message with unseen characters', (log) => log.info('4811\u200b1111\u00ad1111\u22121114')],
    ['a field', (log) => log.info({ reason: `no ${PAN}` }, 'refused')],
    ['a field that is a number', (log) => log.info({ code: Number(PAN) }, 'refused')],
    ['a field that is a bigint of 19 digits', (log) => log.info({ code: 4000000000000000006n }, 'refused')],
    ['an error', (log) => log.error({ err: new Error(`card "${PAN}" was declined`) }, 'failed')],
    ['the cause of an error', (log) => log.error({ err: new Error('x', { cause: new Error(PAN) }) }, 'failed')],
  ])('%s', (_, work) => {
    const lines = capture(work);
    const text = JSON.stringify(lines).replaceAll(/\\n|\\t|[\s-]/g, '');
    expect(text).not.toMatch(new RegExp(`${PAN}|4000000000000000006`));
    expect(text).toMatch(/481111\*{6}1114|400000\*{6}0006/);
  });

  test('ids of ours and times stay', () => {
    const trace = '4811111111111114c0ffee00deadbeef';
    const [line] = capture((log) => log.info({ trace_id: trace, ms: 0.4811111111111114, seq: '17636544000000001234' }, 'hello'));
    expect(line).toMatchObject({ trace_id: trace, ms: 0.4811111111111114, seq: '17636544000000001234' });
  });

  test('the alarm is counted each time and told once a minute, with the name of the field', async () => {
    const registry = new Registry();
    const lines: Line[] = [];
    const alarm = createCardNumberAlarm(registry, () => log);
    const log = createLogger({ service: 'test', level: 'info', alarm }, { write: (line) => void lines.push(JSON.parse(line)) });
    for (let i = 0; i < 3; i++) log.info({ reason: PAN }, 'refused');
    const told = { level: 'error', alert: 'card_number_masked', source: 'log', field: 'reason' };
    expect(lines.filter(({ alert }) => alert !== undefined)).toMatchObject([told]);
    expect(lines).toHaveLength(4);
    expect(await registry.metrics()).toContain('gerbang_card_numbers_masked_total{where="log"} 3');
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

test('a card number is found at any place of a line', () => {
  for (let before = 0; before < 40; before++) {
    const [line] = capture((log) => log.info({ reason: `${'x'.repeat(before)} 4811 1111 1111 1114` }, 'refused'));
    expect(line?.reason).toBe(`${'x'.repeat(before)} 481111******1114`);
  }
});

test('what must be in the log stream is there at every level but silent', () => {
  const written = (level: string) => {
    const lines: string[] = [];
    const log = createLogger({ service: 'test', level }, { write: (line) => lines.push(line) });
    log.warn('warned');
    log.always({ checkpoint: 'abc' }, 'checkpoint');
    return lines.map((line) => JSON.parse(line));
  };
  expect(written('error')).toMatchObject([{ level: 'info', service: 'test', checkpoint: 'abc', msg: 'checkpoint' }]);
  expect(written('silent')).toEqual([]);
});
