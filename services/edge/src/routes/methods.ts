import { ADAPTIVE_PERMITS } from '../http/admission.ts';
import { admitBearer } from '../http/auth.ts';
import type { Envelope } from '../http/envelope.ts';
import type { Operation } from '../http/operation.ts';
import type { Chapter, Route } from '../http/route.ts';

/** A line of the URL map that has no chapter yet. */
export type Line = Omit<Route, 'chapter'>;

/** Puts lines of the URL map into a chapter of the document. */
export function chapter(chapter: Chapter, lines: readonly Line[]): Route[] {
  return lines.map((line) => ({ ...line, chapter }));
}

export function get(path: string, envelope: Envelope, operation: Operation): Line {
  return line('GET', path, envelope, operation);
}

export function post(path: string, envelope: Envelope, operation: Operation): Line {
  return line('POST', path, envelope, operation);
}

export function put(path: string, envelope: Envelope, operation: Operation): Line {
  return line('PUT', path, envelope, operation);
}

export function del(path: string, envelope: Envelope, operation: Operation): Line {
  return line('DELETE', path, envelope, operation);
}

/** A route that needs the request signature (contract §3). */
export function signedPost(path: string, envelope: Envelope, operation: Operation): Line {
  return { ...post(path, envelope, operation), signed: true };
}

/** The same operation for another path; only its operationId differs. */
export function withId(id: string, operation: Operation): Operation {
  return { ...operation, id };
}

/** A line of the URL map for a merchant with a token. */
function line(method: Route['method'], path: string, envelope: Envelope, operation: Operation): Line {
  return {
    method,
    path,
    envelope,
    operation,
    credential: 'token',
    admit: admitBearer,
    signed: false,
    form: false,
    permits: ADAPTIVE_PERMITS,
  };
}
