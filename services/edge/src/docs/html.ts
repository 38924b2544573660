import type { Assets } from './assets.ts';

type Layout = { title: string; path: '/docs' | '/docs/signature'; styles: string[]; scripts: string; main: string };

const LINKS = [
  { href: '/docs', text: 'API reference' },
  { href: '/docs/signature', text: 'Signature workbench' },
  { href: '/openapi.json', text: 'OpenAPI document' },
];

const NO_CREDENTIALS = 'Requests go out without credentials';
const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];
const HEADERS = ['Authorization: Bearer …', 'X-PARTNER-ID: …', 'X-Timestamp: 1763712000', 'X-Signature: …'];

/** GET /docs. It holds no credentials: readers type them, or bring them in the address's fragment, which no server sees. */
export function referencePage(assets: Assets): string {
  return layout(assets, {
    title: 'API reference',
    path: '/docs',
    styles: ['swagger-ui/swagger-ui.css', 'docs.css'],
    scripts: `<script src="${assets.url('swagger-ui/swagger-ui-bundle.js')}" defer></script>
<script src="${assets.url('browser/reference.ts')}" type="module"></script>`,
    main: `<h1 class="unseen">API reference</h1>
<details id="credentials" class="card">
<summary><span class="dot" aria-hidden="true"></span><span id="state" role="status">${NO_CREDENTIALS}</span></summary>
<form id="credentials-form" autocomplete="off">
<div class="row">
${field('partner-id', 'Partner id')}
${field('client-id', 'Client id')}
${field('client-secret', 'Client secret', 'type="password"')}
</div>
<p class="hint">With them, <em>Execute</em> gets an access token and signs each request in this browser. They stay in this page's
memory until it is closed; the secret is not sent, except to the v1.0 token endpoint, which takes it.</p>
<p class="actions"><button type="submit" class="button">Use these</button>
<button type="button" id="forget" class="button quiet">Forget</button></p>
</form>
</details>
<div id="reference"><p class="hint" id="loading">Loading the reference …</p></div>`,
  });
}

/** GET /docs/signature. It holds no credentials either. */
export function workbenchPage(assets: Assets): string {
  return layout(assets, {
    title: 'Signature workbench',
    path: '/docs/signature',
    styles: ['docs.css'],
    scripts: `<script src="${assets.url('browser/workbench.ts')}" type="module"></script>`,
    main: `<div class="intro"><h1>Signature workbench</h1>
<p>A request to the API or a webhook whose signature does not match? Enter it as it was received. The workbench says which
component differs, and why.</p></div>
<div class="columns">
<form id="message" class="card" autocomplete="off">
<div class="row">
<p class="field narrow"><label for="method">Method</label>
<select id="method">${METHODS.map((method) => `<option>${method}</option>`).join('')}</select></p>
${field('path', 'Path with query, or the whole URL', 'required placeholder="/api/v2.0/disbursement/transfer"')}
</div>
${area('headers', 'Headers, one a line', 6, `placeholder="${HEADERS.join('&#10;')}"`)}
${area('body', 'Body, exactly as it was sent', 8)}
${field('secret', 'Client secret', 'type="password" required')}
${area('own', 'The string that you signed, if you know it (optional)', 3)}
<p class="hint">The message and the secret go to this gateway, which compares and keeps neither.</p>
<p class="actions"><button type="submit" class="button">Explain</button></p>
<p id="problem" class="problem" role="alert"></p>
</form>
<section id="explanation" class="card" aria-live="polite" tabindex="-1" hidden></section>
</div>`,
  });
}

function layout(assets: Assets, { title, path, styles, scripts, main }: Layout): string {
  const links = LINKS.map(({ href, text }) => `<a href="${href}"${href === path ? ' aria-current="page"' : ''}>${text}</a>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Gerbang</title>
<link rel="icon" href="${assets.url('icon.svg')}" type="image/svg+xml">
${styles.map((name) => `<link rel="stylesheet" href="${assets.url(name)}">`).join('\n')}
${scripts}
</head>
<body>
<header class="bar"><a class="brand" href="/docs"><img src="${assets.url('icon.svg')}" alt="" width="28" height="28">Gerbang</a>
<nav aria-label="Documentation">${links.join('\n')}</nav></header>
<main>
<noscript><p class="problem">These pages need JavaScript. The <a href="/openapi.json">OpenAPI document</a> does not.</p>
</noscript>
${main}
</main>
</body>
</html>
`;
}

function field(id: string, label: string, attributes = ''): string {
  return `<p class="field"><label for="${id}">${label}</label><input id="${id}" ${PLAIN} ${attributes}></p>`;
}

function area(id: string, label: string, rows: number, attributes = ''): string {
  const input = `<textarea id="${id}" rows="${rows}" ${PLAIN} ${attributes}></textarea>`;
  return `<p class="field"><label for="${id}">${label}</label>${input}</p>`;
}

/** What browsers must neither keep, correct nor send to a spelling service. */
const PLAIN = 'autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"';
