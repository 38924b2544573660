import type { FastifyRequest } from 'fastify';
import { ControlError } from './json.ts';

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
/** Names by which a loopback address is called. A page whose name was bound anew to 127.0.0.1 calls it by its own name. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/**
 * Who may call the control API, before the body is read: programs on the machine itself, and no page that a browser there has
 * open. So the connection and Host are of the loopback, Origin is absent or the simulator's own, and a body is JSON, which no
 * form can send. Refuses with 403 or 415.
 */
export function checkControl({ raw, headers }: FastifyRequest): void {
  if (!LOOPBACK.test(raw.socket.remoteAddress ?? '')) {
    throw new ControlError(403, 'The sandbox is controlled from the machine it runs on');
  }
  const { host = '', origin, 'sec-fetch-site': site, 'content-type': contentType } = headers;
  if (!LOOPBACK_HOST.test(host))
    throw new ControlError(403, 'The sandbox is controlled by its loopback address; Host is another');
  const isOwn = origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  if (!isOwn || !isOwnSite) throw new ControlError(403, 'The sandbox is not controlled by pages of other sites');
  if (contentType !== undefined && !JSON_TYPE.test(contentType))
    throw new ControlError(415, 'Content-Type must be application/json');
}
