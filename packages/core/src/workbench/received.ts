/**
 * A request or a webhook as it was received; header names in any case. `url` is the path with the query, or the whole address.
 */
export type Received = { method: string; url: string; headers: Readonly<Record<string, string>>; body: string };

/** What the signature hangs on. `origins` are what may stand before the path. */
export type Parsed = {
  method: string;
  path: string;
  origins: readonly string[];
  accessToken: string;
  timestamp: string;
  signature: string;
  partnerId: string;
  clientId: string;
  /** The whole header. */
  authorization: string;
  contentLength: string;
  body: string;
};

/** Takes a message apart as the gateway does. */
export function parseReceived({ method, url, headers, body }: Received): Parsed {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const header = (name: string) => lower.get(name) ?? '';
  const absolute = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^#]*)/i.exec(url);
  const [, scheme = '', authority = header('host'), rest = url.replace(/#.*$/s, '')] = absolute ?? [];
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  const origins = authority === '' ? [] : [authority, `https://${authority}`, `http://${authority}`, `${scheme}${authority}`];
  const authorization = header('authorization');
  return {
    method: method.toUpperCase(),
    path,
    origins: [...new Set(origins)],
    accessToken: authorization.replace(/^Bearer(?: +|$)/i, ''),
    timestamp: header('x-timestamp'),
    signature: header('x-signature'),
    partnerId: header('x-partner-id'),
    clientId: header('x-client-id'),
    authorization,
    contentLength: header('content-length'),
    body,
  };
}

/** The signature's bytes as they may be meant, and what is wrong with how they are written. */
export type ReadSignature = { bytes: Buffer; cause?: 'signature_in_capitals' | 'signature_in_base64' | 'signature_wrapped' };

/** All readings of X-Signature; none where it is neither hex nor Base64. */
export function readSignature(text: string): ReadSignature[] {
  if (/^(?:[0-9a-f]{2})+$/.test(text)) return [{ bytes: Buffer.from(text, 'hex') }];
  const inner = text.replace(/^["']|["']$/g, '').replace(/^(?:hmac-?)?sha-?512[=: ]+|^(?:v1|signature|hmac)[=: ]+|^0x/i, '');
  const readings: ReadSignature[] = [];
  if (/^(?:[0-9a-f]{2})+$/i.test(inner)) {
    readings.push({ bytes: Buffer.from(inner, 'hex'), cause: inner === text ? 'signature_in_capitals' : 'signature_wrapped' });
  }
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(inner)) {
    readings.push({ bytes: Buffer.from(inner, 'base64'), cause: 'signature_in_base64' });
    // Base64 of the hex text.
    const within = Buffer.from(inner, 'base64').toString('latin1');
    if (/^(?:[0-9a-f]{2})+$/.test(within)) readings.push({ bytes: Buffer.from(within, 'hex'), cause: 'signature_in_base64' });
  }
  return readings;
}
