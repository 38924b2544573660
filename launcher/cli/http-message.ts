import type { Received } from '@gerbang/core/workbench';
import { CommandFailure } from './failure.ts';

const REQUEST_LINE = /^([A-Za-z]+) (\S+)(?: HTTP\/[0-9.]+)?$/;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;
const HEADERS_MAX = 100;

/**
 * Reads an HTTP request as text: request line, headers, an empty line, body. Lines may end in LF without CR. Throws
 * CommandFailure, naming the line.
 */
export function parseHttpMessage(message: string): Received {
  const gap = /\r?\n\r?\n/.exec(message);
  const head = (gap === null ? message : message.slice(0, gap.index)).split(/\r?\n/);
  const body = gap === null ? '' : message.slice(gap.index + gap[0].length);
  const [, method, url] = REQUEST_LINE.exec(head[0] ?? '') ?? [];
  if (method === undefined || url === undefined)
    throw new CommandFailure('message: line 1 is no request line, such as POST /hooks/gerbang?shop=1 HTTP/1.1');
  const headers: Record<string, string> = {};
  for (const [i, line] of head.slice(1).entries()) {
    if (line === '' && i === head.length - 2) break;
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new CommandFailure(`message: line ${i + 2} is no header, such as X-Timestamp: 1763712000`);
    if (i >= HEADERS_MAX) throw new CommandFailure(`message: has more than ${HEADERS_MAX} headers`);
    headers[name.toLowerCase()] = value.trim();
  }
  return { method, url, headers, body: withoutAddedNewline(body, headers['content-length']) };
}

/** Editors end a file with a line feed; the body's length says whether it belongs to it. */
function withoutAddedNewline(body: string, contentLength: string | undefined): string {
  const shorter = body.replace(/\r?\n$/, '');
  return String(Buffer.byteLength(shorter)) === contentLength ? shorter : body;
}
