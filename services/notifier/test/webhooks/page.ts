import { readFileSync } from 'node:fs';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { presentDelivery } from '@gerbang/present';
import { DeliverySchema, DeliveryStatus } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { retryDelayMs } from '../../src/delivery/schedule.ts';
import { webhookRequest } from '../../src/delivery/webhook-request.ts';
import { deliveryOf } from './delivery.ts';
import { SAMPLE_MS } from './sample-payloads.ts';
import { SAMPLES, webhookOf } from './samples.ts';
import { type SignatureVector, signatureVectors } from './vectors.ts';

const DOCS = path.join(import.meta.dirname, '../../../../docs');
const BLOCK = /(<!-- generated: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g;

const EVENT_ID = '01KAJ5ZT8VQ6H3N9C4X7R2M5WD';

const EXAMPLES = [
  ['TypeScript', 'receive.ts', 'ts'],
  ['Python', 'receive.py', 'python'],
  ['PHP', 'receive.php', 'php'],
  ['Go', 'receive.go', 'go'],
] as const;

const WRITERS: Record<string, () => string> = { events, request, examples, schedule, delivery, payloads };

/** docs/webhooks.md with what is generated in it made anew; the prose is its own. */
export function webhooksPage(): string {
  return readFileSync(path.join(DOCS, 'webhooks.md'), 'utf8').replace(BLOCK, (_block, start, name, end) => {
    const write = WRITERS[name];
    if (write === undefined) throw new Error(`nothing generates ${name}`);
    return `${start}\n${write()}\n\n${end}`;
  });
}

/** One row an event; several occasions of one event are in one row. */
function events(): string {
  const rows = new Map<string, string[]>();
  for (const sample of SAMPLES) {
    const { event, setting } = webhookOf(sample);
    const [, , when] = rows.get(event) ?? [];
    const cells = [
      `[${event}](#${anchor(event)})`,
      `\`${setting}\``,
      when === undefined ? sample.when : `${when}; ${sample.when}`,
    ];
    rows.set(event, cells);
  }
  return table(['`event`', 'Goes to', 'When'], [...rows.values()]);
}

/** As the usual renderers of Markdown make it of a heading. */
function anchor(heading: string): string {
  return heading.replace(/[^a-z0-9_-]/g, '');
}

/** The first sample as it goes over the wire, with the vector's token, time and signature in place of this moment's. */
function request(): string {
  const vector = firstWebhook();
  const delivery = deliveryOf(EVENT_ID, `https://shop.example${vector.path}`, vector.body, SAMPLE_MS);
  const made = webhookRequest(delivery, { partnerId: 'pk_4Tn8sW2xQ6', clientSecret: vector.client_secret }, SAMPLE_MS);
  const headers = Object.entries({ ...made.headers, ...vector.headers }).map(([name, value]) => `${name}: ${value}`);
  const message = [
    `POST ${vector.path} HTTP/1.1`,
    'Host: shop.example',
    ...headers,
    `Content-Length: ${Buffer.byteLength(made.body)}`,
    '',
    made.body,
  ];
  return `${fenced('http', message.join('\n'))}\n\nWith the secret \`${vector.client_secret}\` this signature is good, but for its age.`;
}

function firstWebhook(): SignatureVector {
  const found = signatureVectors().signatures.find(({ about }) => about === 'webhook');
  if (found === undefined) throw new Error('no vector is of a webhook');
  return found;
}

function examples(): string {
  return EXAMPLES.map(([name, file, language]) => {
    const source = readFileSync(path.join(DOCS, 'webhooks', file), 'utf8').trimEnd();
    return `### ${name}\n\n[webhooks/${file}](webhooks/${file})\n\n${fenced(language, source)}`;
  }).join('\n\n');
}

function schedule(): string {
  const middle = () => 0.5;
  const rows: string[][] = [];
  for (let failures = 1; ; failures++) {
    const delayMs = retryDelayMs(failures, { sandbox: false, chance: middle });
    const sandboxMs = retryDelayMs(failures, { sandbox: true, chance: middle });
    if (delayMs === undefined || sandboxMs === undefined) {
      const sentence = `After ${failures} failed attempts the delivery is \`failed\`: it is kept, and you can have it sent again.`;
      return `${table(['After failed attempt', 'Production', 'Sandbox'], rows)}\n\n${sentence}`;
    }
    rows.push([String(failures), duration(delayMs), duration(sandboxMs)]);
  }
}

/** A delivery that was refused twice and then taken, and sent once more when the merchant asked. */
function delivery(): string {
  const at = (seconds: number) => BigInt(SAMPLE_MS + 1_000 * seconds);
  const attempts = [
    { atMs: at(0), httpStatus: 503, durationMs: 41, answer: 'try later', error: 'HTTP 503' },
    { atMs: at(5), httpStatus: 0, durationMs: 10_000, answer: '', error: 'no answer within 10 s' },
    { atMs: at(44), httpStatus: 200, durationMs: 38, answer: 'ok', error: '' },
    { atMs: at(3_600), httpStatus: 200, durationMs: 35, answer: 'ok', error: '' },
  ];
  const shown = presentDelivery(
    create(DeliverySchema, {
      id: EVENT_ID,
      eventId: EVENT_ID,
      event: 'disbursement',
      url: 'https://shop.example/hooks/gerbang',
      status: DeliveryStatus.DELIVERED,
      attempts,
      createdAtMs: at(0),
      redeliveries: [{ atMs: at(3_600), clientId: 'ck_7Yq2mX9vR4tB1nL6' }],
    }),
  );
  return fenced('json', indented(shown));
}

function duration(ms: number): string {
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms >= 60_000 ? `${ms / 60_000} min` : `${ms / 1_000} s`;
}

function payloads(): string {
  let heading = '';
  return SAMPLES.map((sample) => {
    const { event, setting, body } = webhookOf(sample);
    const title = event === heading ? '' : `### ${event}\n\nTo \`${setting}\`.\n\n`;
    heading = event;
    return `${title}When ${sample.when}:\n\n${fenced('json', indented(body))}`;
  }).join('\n\n');
}

/** Lists of texts stay on one line, as the formatter of this repository has them. */
function indented(body: object): string {
  return JSON.stringify(body, undefined, 2).replace(
    /\[\s+("[^[\]{}]*")\s+\]/g,
    (_list, items: string) => `[${items.replace(/\s*\n\s*/g, ' ')}]`,
  );
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
