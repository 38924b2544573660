/** JSON with its texts and numbers as they were written; keys in the order of the text, with their quotes. */
export type WrittenJson =
  | { type: 'object'; members: { key: string; value: WrittenJson }[] }
  | { type: 'array'; items: WrittenJson[] }
  | { type: 'text' | 'number' | 'word'; written: string };

/** How somebody's serializer writes JSON. `text` takes and gives a text with its quotes; `indent` is undefined for one line. */
export type Style = {
  order: 'as-received' | 'outermost' | 'without-case' | 'code-points' | 'code-units';
  text: (written: string) => string;
  number: (written: string) => string;
  comma: string;
  colon: string;
  indent: string | undefined;
};

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[-\d][\d.eE+-]*|[{}[\]:,]|[a-z]+/g;

/** Reads text that JSON.parse has accepted; its depth is bounded by the caller. */
export function readWritten(text: string): WrittenJson {
  const tokens = text.matchAll(TOKEN);
  const next = () => tokens.next().value?.[0] ?? '';
  const read = (token: string): WrittenJson => {
    if (token === '{') return readObject();
    if (token === '[') return readArray();
    if (token.startsWith('"')) return { type: 'text', written: token };
    return { type: /^[-\d]/.test(token) ? 'number' : 'word', written: token };
  };
  const readObject = (): WrittenJson => {
    const members: { key: string; value: WrittenJson }[] = [];
    for (let token = next(); token !== '}'; token = next()) {
      if (token === ',') continue;
      next();
      members.push({ key: token, value: read(next()) });
    }
    return { type: 'object', members };
  };
  const readArray = (): WrittenJson => {
    const items: WrittenJson[] = [];
    for (let token = next(); token !== ']'; token = next()) if (token !== ',') items.push(read(token));
    return { type: 'array', items };
  };
  return read(next());
}

/** Writes it in a style. */
export function write(json: WrittenJson, style: Style, depth = 0): string {
  switch (json.type) {
    case 'text':
      return style.text(json.written);
    case 'number':
      return style.number(json.written);
    case 'word':
      return json.written;
    case 'array':
      return enclose(
        '[]',
        json.items.map((item) => write(item, style, depth + 1)),
        style,
        depth,
      );
    case 'object': {
      const members = sorted(json.members, style.order, depth);
      const written = members.map(({ key, value }) => style.text(key) + style.colon + write(value, style, depth + 1));
      return enclose('{}', written, style, depth);
    }
    default:
      return json satisfies never;
  }
}

function enclose(brackets: '[]' | '{}', items: readonly string[], { comma, indent }: Style, depth: number): string {
  const [open, close] = [brackets.charAt(0), brackets.charAt(1)];
  if (indent === undefined || items.length === 0) return open + items.join(comma) + close;
  const line = `\n${indent.repeat(depth + 1)}`;
  return `${open}${line}${items.join(`,${line}`)}\n${indent.repeat(depth)}${close}`;
}

type Member = { key: string; value: WrittenJson };

function sorted(members: readonly Member[], order: Style['order'], depth: number): readonly Member[] {
  if (order === 'as-received' || (order === 'outermost' && depth > 0)) return members;
  const named = members.map((member) => ({ member, name: nameOf(member.key, order) }));
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ member }) => member);
}

/** A text whose order by UTF-16 code units is the order asked for. */
function nameOf(key: string, order: Style['order']): string {
  const name: string = JSON.parse(key);
  if (order === 'without-case') return name.toLowerCase();
  if (order !== 'code-points') return name;
  return Array.from(name, (character) => (character.codePointAt(0) ?? 0).toString(16).padStart(6, '0')).join('');
}
