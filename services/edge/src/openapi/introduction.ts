import { readFileSync } from 'node:fs';
import { describeRefusal, type RefusalCode } from '@gerbang/core';
import type { PublicRefusal } from '../http/operation.ts';
import { OCCURS } from './refusals.ts';

/** The document's description, in Markdown: how the API is used, and every code with when it occurs. */
export function introduction(): string {
  const text = readFileSync(new URL('introduction.md', import.meta.url), 'utf8');
  return text.replace('{{codes}}', v2Codes()).replace('{{errors}}', v1Errors()).trim();
}

function v2Codes(): string {
  const rows = publicRefusals().map((refusal) => v2Code(refusal, OCCURS[refusal]));
  // It is in merchant-api.md, and no answer has it.
  const reserved = v2Code('invalid_reference', 'Reserved: never answered.');
  const success = { code: 'SP000', http: 200, meaning: 'Success', occurs: 'It was done, or the transaction was found.' };
  const sorted = [success, ...rows, reserved].sort((a, b) => a.code.localeCompare(b.code));
  return table(
    ['Code', 'HTTP', 'Meaning', 'When'],
    sorted.map(({ code, http, meaning, occurs }) => [code, String(http), meaning, occurs]),
  );
}

function v2Code(refusal: RefusalCode, occurs: string) {
  const { spCode: code, http, message: meaning } = describeRefusal(refusal);
  return { code, http, meaning, occurs };
}

function v1Errors(): string {
  const rows = publicRefusals().map((refusal) => ({ status: describeRefusal(refusal).v1Http, occurs: OCCURS[refusal] }));
  return table(
    ['HTTP', 'When'],
    rows.sort((a, b) => a.status - b.status).map(({ status, occurs }) => [String(status), occurs]),
  );
}

function publicRefusals(): PublicRefusal[] {
  return Object.keys(OCCURS).filter((code): code is PublicRefusal => Object.hasOwn(OCCURS, code));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
