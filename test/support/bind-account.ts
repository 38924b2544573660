/** What a customer enters on the pages: a field's value by its name. */
const ENTERED: Readonly<Record<string, string>> = { otp: '123456' };
/** A page that does not end is a fault. */
const STEPS_MAX = 6;

/**
 * Walks the pages of a binding as a browser without scripts would: opens the page, sends its first form, and follows. Gives where it
 * ends: the address outside of this machine, or the last page's HTML.
 */
export async function bindAccount(webviewUrl: string, entered: Readonly<Record<string, string>> = ENTERED): Promise<string> {
  let page = await fetch(webviewUrl);
  for (let step = 0; step < STEPS_MAX; step++) {
    const html = await page.text();
    const form = /<form[^>]*>[\s\S]*?<\/form>/.exec(html)?.[0];
    if (form === undefined) return html;
    const action = new URL((/action="([^"]*)"/.exec(form)?.[1] ?? '').replaceAll('&amp;', '&'), page.url);
    const fields = new URLSearchParams();
    for (const [, name = ''] of form.matchAll(/<input[^>]*\sname="([^"]*)"/g)) fields.set(name, entered[name] ?? '');
    page = await fetch(action, { method: 'POST', body: fields, redirect: 'manual' });
    const location = page.headers.get('location');
    if (location === null) continue;
    const next = new URL(location, action);
    if (next.hostname !== '127.0.0.1') return next.href;
    page = await fetch(next);
  }
  throw new Error('the pages of the binding do not end');
}
