/** Markup that is safe to send: made by `html`, or by code of our own that is named in a call of `trusted`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What a template takes; undefined and false leave nothing, for conditions. */
export type HtmlValue = string | number | bigint | Html | undefined | false | readonly HtmlValue[];

/** A template whose values are escaped, in text and in quoted attributes, unless they are markup already. Lists are joined. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(strings.reduce((text, part, i) => text + render(values[i - 1]) + part));
}

/** Marks text as markup. Only for markup that this repository's own code has made, with everything from outside escaped. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function render(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeText(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (sign) => ENTITIES[sign] ?? '');
}
