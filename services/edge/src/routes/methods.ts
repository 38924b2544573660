import { ADAPTIVE_PERMITS } from '../http/admission.ts';
import { admitBearer } from '../http/auth.ts';
import type { Envelope } from '../http/envelope.ts';
import type { Handler, Route } from '../http/route.ts';

/** A line of the URL map for a merchant with a token. */
function route(method: Route['method'], path: string, envelope: Envelope, handle: Handler): Route {
  return { method, path, envelope, admit: admitBearer, signed: false, form: false, permits: ADAPTIVE_PERMITS, handle };
}

export function get(path: string, envelope: Envelope, handle: Handler): Route {
  return route('GET', path, envelope, handle);
}

export function post(path: string, envelope: Envelope, handle: Handler): Route {
  return route('POST', path, envelope, handle);
}

export function put(path: string, envelope: Envelope, handle: Handler): Route {
  return route('PUT', path, envelope, handle);
}

export function del(path: string, envelope: Envelope, handle: Handler): Route {
  return route('DELETE', path, envelope, handle);
}

/** A route that needs the request signature (contract §3). */
export function signedPost(path: string, envelope: Envelope, handle: Handler): Route {
  return { ...post(path, envelope, handle), signed: true };
}
