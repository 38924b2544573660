import type { PaymentForm } from '@gerbang/proto/gerbang/cards/v1/cards';
import { z } from 'zod';

export const htmlForm = z
  .string()
  .nullable()
  .meta({
    description:
      'Instead of payment_url where the issuer takes its customers by POST only: put it into a page. It submits itself, and has a ' +
      'button where scripts do not run.',
  });

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * A form of 3DS (EMV 3-D Secure, CReq by POST) for a page of the merchant. Its script is only for comfort: where the page's
 * Content-Security-Policy or a browser without scripts leaves it out, the customer presses the button.
 */
export function presentForm(form: PaymentForm | undefined): string | null {
  if (form === undefined) return null;
  const hidden = form.fields.map(({ name, value }) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`);
  return (
    `<form method="post" action="${escaped(form.url)}">${hidden.join('')}` +
    '<button>Lanjut · Continue</button></form><script>document.currentScript.previousElementSibling.submit()</script>'
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? '');
}
