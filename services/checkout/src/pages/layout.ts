import type { AssetName } from '../assets.ts';
import { type Html, html } from '../html/html.ts';
import type { Phase } from '../status/phase.ts';
import { LANGUAGES, textsOf } from '../text/texts.ts';
import { linkTo, type View } from './view.ts';

type Page = {
  title: string;
  content: Html;
  reference?: string;
  follow?: Follow;
  /** Scripts besides the one of all pages. */
  scripts?: readonly AssetName[];
  /** Where the page's policy names its scripts by a nonce. */
  nonce?: string;
  /** Without scripts it is loaded again after so long. */
  reloadSeconds?: number;
};

/** A whole page. `status` is what a page that follows its payment knows of it already. */
export function layout(view: View, page: Page): Html {
  const { texts, assets } = view;
  const { title, content, reference, follow, scripts = [], nonce, reloadSeconds } = page;
  return html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="theme-color" content="#0b5d52">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assets.url('icon.svg')}">
${reloadSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${reloadSeconds}"></noscript>`}
<link rel="stylesheet" href="${assets.url('checkout.css')}" integrity="${assets.integrity('checkout.css')}">
${(['checkout.js', ...scripts] as const).map((name) => script(view, name, nonce))}
</head>
<body${follow && html` data-events="${follow.events}" data-phase="${follow.phase}" data-here="${follow.here}"`}>
<a class="skip" href="#main">${texts.skip}</a>
<header class="bar">
<span class="brand"><img src="${assets.url('icon.svg')}" alt="" width="24" height="24">Gerbang</span>
${languageSwitch(view)}
</header>
<main id="main" tabindex="-1">
${content}
</main>
<footer>
${reference !== undefined && html`<p>${texts.reference} <span class="reference">${reference}</span></p>`}
<p>${texts.processedBy}</p>
</footer>
</body>
</html>
`;
}

function script({ assets }: View, name: AssetName, nonce: string | undefined): Html {
  return html`<script defer src="${assets.url(name)}" integrity="${assets.integrity(name)}"${nonce !== undefined && html` nonce="${nonce}"`}></script>`;
}

/** Where a page follows its payment, how the payment stood when the page was made, and the address that shows how it stands. */
export type Follow = { events: string; phase: Phase; here: string };

/** Where a page follows its own payment, which can still be made. */
export function followOf(view: View, phase: Phase): Follow {
  return { events: `${view.path}/events`, phase, here: linkTo(view, view.path) };
}

function languageSwitch(view: View): Html {
  const items = LANGUAGES.map((language) => {
    const { languageName } = textsOf(language);
    const short = language.toUpperCase();
    if (language === view.language)
      return html`<li><span aria-current="true" lang="${language}" title="${languageName}">${short}</span></li>`;
    const label = html`<span aria-hidden="true">${short}</span><span class="unseen">${languageName}</span>`;
    return html`<li><a href="${view.path}?lang=${language}" lang="${language}" hreflang="${language}" rel="nofollow">${label}</a></li>`;
  });
  return html`<nav class="languages" aria-label="${view.texts.languageSwitch}"><ul>${items}</ul></nav>`;
}
