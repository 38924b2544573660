import { type Doc, isDoc } from '../bson/types.ts';
import { setField } from './path.ts';

/** What a projection says about a path: keep or drop it, or what is below it. */
export type Node = Map<string, Node | boolean>;
export type Computed = { parts: readonly string[]; value: (doc: Doc) => unknown };

/** Says what becomes of a path. */
export function addPath(node: Node, parts: readonly string[], keep: boolean): void {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) {
    node.set(first, keep);
    return;
  }
  const known = node.get(first);
  const inner: Node = known instanceof Map ? known : new Map();
  node.set(first, inner);
  addPath(inner, rest, keep);
}

/** Makes a document of what is kept, and of what is computed. */
export function inclusion(node: Node, computed: readonly Computed[]): (doc: Doc) => Doc {
  return (doc) => {
    const projected = included(doc, node) as Doc;
    for (const { parts, value } of computed) setNested(projected, parts, value(doc));
    return projected;
  };
}

function included(value: unknown, node: Node): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => isDoc(item) || Array.isArray(item)).map((item) => included(item, node));
  }
  if (!isDoc(value)) return undefined;
  const kept: Doc = {};
  for (const name in value) {
    const rule = node.get(name);
    if (!rule) continue;
    const inner = rule === true ? value[name] : included(value[name], rule);
    if (inner !== undefined) setField(kept, name, inner);
  }
  return kept;
}

/** Makes a document of what is not dropped, and of what is computed. */
export function exclusion(node: Node, computed: readonly Computed[]): (doc: Doc) => Doc {
  return (doc) => {
    const projected = excluded(doc, node) as Doc;
    for (const { parts, value } of computed) setNested(projected, parts, value(doc));
    return projected;
  };
}

function excluded(value: unknown, node: Node): unknown {
  if (Array.isArray(value)) return value.map((item) => excluded(item, node));
  if (!isDoc(value)) return value;
  const kept: Doc = {};
  for (const name in value) {
    const rule = node.get(name);
    if (rule === false) continue;
    setField(kept, name, rule instanceof Map ? excluded(value[name], rule) : value[name]);
  }
  return kept;
}

/** Sets a computed value, going into each element of arrays; a missing value takes the field away. */
export function setNested(target: Doc, parts: readonly string[], value: unknown): void {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) {
    if (value === undefined) delete target[first];
    else setField(target, first, value);
    return;
  }
  setField(target, first, nestedIn(target[first], rest, value));
}

function nestedIn(inner: unknown, parts: readonly string[], value: unknown): unknown {
  if (Array.isArray(inner)) return inner.map((item) => nestedIn(item, parts, value));
  const copy: Doc = isDoc(inner) ? { ...inner } : {};
  setNested(copy, parts, value);
  return copy;
}
