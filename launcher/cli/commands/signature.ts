import { createReadStream } from 'node:fs';
import { type Explanation, explainSignature, presentExplanation } from '@gerbang/core/workbench';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { CommandFailure } from '../failure.ts';
import { parseHttpMessage } from '../http-message.ts';
import { type GlobalOptions, withSession } from '../session.ts';

/** A body of 256 KiB, the most that the gateway takes, and its headers. */
const MESSAGE_BYTES_MAX = 512 * 1024;
const SECRET_BYTES_MAX = 1_024;

type ExplainOptions = GlobalOptions & { secretFile?: string; stringToSign?: string };

/** signature explain */
export function signatureCommands(program: Command): void {
  program
    .command('signature')
    .description('signatures of requests and webhooks')
    .command('explain')
    .description('say what the signature of a message should be, and which component differs; works without a running system')
    .argument(
      '<file>',
      'the request or webhook as it was received: request line, headers, an empty line, body; - = standard input',
    )
    .option('--secret-file <file>', 'where the client secret is; - = standard input; GERBANG_CLIENT_SECRET unless given')
    .option('--string-to-sign <file>', 'what was signed, where you know it: names what differs in any case')
    .addHelpText('after', '\nThe secret is never an argument, where every user of the machine could read it.')
    .action((file: string, _, command: Command) => explain(command.optsWithGlobals(), file));
}

function explain(options: ExplainOptions, file: string): Promise<void> {
  return withSession(options, async (session) => {
    const { secretFile, stringToSign } = options;
    if ([file, secretFile, stringToSign].filter((name) => name === '-').length > 1)
      throw new CommandFailure('standard input (-) can be only one of message, secret and string to sign');
    const received = parseHttpMessage(await readText('message', file, MESSAGE_BYTES_MAX));
    const secret = await secretOf(secretFile);
    const ownString = stringToSign === undefined ? undefined : await readText('string to sign', stringToSign, MESSAGE_BYTES_MAX);
    const explanation = explainSignature(received, secret, { nowMs: Date.now(), ownString });
    session.show(presentExplanation(explanation), linesOf(explanation));
    const [first] = explanation.differences;
    if (first !== undefined) throw new CommandFailure(`the signature is not good: ${first.component}`);
  });
}

async function secretOf(file: string | undefined): Promise<string> {
  if (file === undefined) {
    const { GERBANG_CLIENT_SECRET: secret } = readConfig(process.env);
    if (secret !== undefined) return secret;
    throw new CommandFailure('secret: set GERBANG_CLIENT_SECRET, or name a file with --secret-file (- = standard input)');
  }
  // Editors and echo end a file with a line feed, which no secret has.
  const secret = (await readText('secret', file, SECRET_BYTES_MAX)).replace(/\r?\n$/, '');
  if (secret === '') throw new CommandFailure('secret: is empty');
  return secret;
}

/** The text of a file. Throws CommandFailure, naming what it was to be, where it cannot be read. */
async function readText(name: string, file: string, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > bytesMax) break;
    }
  } catch (error) {
    throw new CommandFailure(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (bytes > bytesMax) throw new CommandFailure(`${name}: is larger than ${bytesMax} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new CommandFailure(`${name}: is not UTF-8`, { cause: error });
  }
}

function linesOf(explanation: Explanation): string[] {
  const { kind, valid, canonicalJson, bodySha256, stringToSign, expectedSignature, receivedSignature } = explanation;
  const named: [string, string | undefined][] = [
    ['normalized JSON', canonicalJson],
    ['its SHA-256', bodySha256],
    ['string to sign', stringToSign],
    ['expected', expectedSignature],
    ['received', receivedSignature],
  ];
  return [
    `${kind}: the signature is ${valid ? 'good' : 'not good'}`,
    ...named.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(15)}  ${value}`])),
    ...explanation.differences.map(({ component, cause, message }) => `differs: ${component} (${cause}): ${message}`),
    ...explanation.notes.map((note) => `note: ${note}`),
  ].map(printable);
}

/** The sender of the message must not control the operator's terminal by it. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
