import { expect, test } from 'vitest';
import { html, trusted } from './html.ts';

const NASTY = `<script>alert("1")</script>'&\``;

test('values are escaped, in text and in attributes', () => {
  const shown = html`<p title="${NASTY}">${NASTY}</p>`.text;
  expect(shown).not.toContain('<script>');
  const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;&#96;';
  expect(shown).toBe(`<p title="${escaped}">${escaped}</p>`);
});

test('templates within templates and lists of them are not escaped twice; lists of text are escaped', () => {
  expect(html`<ul>${['a', '<b>'].map((item) => html`<li>${item}</li>`)}</ul>`.text).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>');
  expect(html`${['<', '>']}`.text).toBe('&lt;&gt;');
});

test('conditions that do not hold leave nothing; numbers do', () => {
  expect(html`<i${false && html` hidden`}>${undefined}${0}${10n}</i>`.text).toBe('<i>010</i>');
});

test('only what is named trusted goes in as it is', () => {
  expect(html`${trusted('<svg/>')}${'<svg/>'}`.text).toBe('<svg/>&lt;svg/&gt;');
});
