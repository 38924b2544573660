import type { FastifyReply } from 'fastify';

/** Only our own files and forms, and in no frame. `formTarget`: where a form of the page may lead beyond ourselves. */
export function contentSecurityPolicy(formTarget?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Of pages with a card form: only the scripts that the page names, by a nonce of this answer, and each by its hash in the page; the
 * form leads only to ourselves, and the issuer's page is reached from there (PCI DSS 6.4.3).
 */
export function cardPagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const HEADERS = {
  'content-security-policy': contentSecurityPolicy(),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // The address of a page is what opens it: no other site may learn it.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'x-robots-tag': 'noindex, nofollow',
  'cache-control': 'no-store',
};

/** What every answer carries. `strictTransport` only where TLS is certain to be in front. */
export function headersOf({ strictTransport }: { strictTransport: boolean }): Readonly<Record<string, string>> {
  return strictTransport ? { ...HEADERS, 'strict-transport-security': 'max-age=31536000' } : HEADERS;
}

export function setHeaders(reply: FastifyReply, options: { strictTransport: boolean }): void {
  reply.headers(headersOf(options));
}
