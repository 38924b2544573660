import { type Doc, isDoc } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { expressionPath, setField } from '../query/path.ts';
import { operators } from './operators.ts';
import { borrowed } from './operators-borrowed.ts';
import { lazyOperators } from './operators-lazy.ts';
import type { Expression, Variables } from './scope.ts';

/** Compiles an expression. Refuses unknown operators and variables. */
export function compileExpression(expression: unknown): Expression {
  if (typeof expression === 'string' && expression.startsWith('$')) return compileReference(expression);
  if (Array.isArray(expression)) {
    const items = expression.map(compileExpression);
    return (scope) => items.map((item) => item(scope) ?? null);
  }
  if (!isDoc(expression)) return () => expression;
  const names = Object.keys(expression);
  const [first] = names;
  if (!first?.startsWith('$')) return compileObject(expression);
  if (names.length !== 1) {
    throw location(15983, `An object representing an expression must have exactly one field: ${names.join(', ')}`);
  }
  return compileOperator(first, expression[first]);
}

function compileObject(expression: Doc): Expression {
  const fields = Object.entries(expression).map(([name, value]) => {
    if (name.startsWith('$'))
      throw location(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
    return [name, compileExpression(value)] as const;
  });
  return (scope) => {
    const doc: Doc = {};
    for (const [name, value] of fields) {
      const result = value(scope);
      if (result !== undefined) setField(doc, name, result);
    }
    return doc;
  };
}

function compileReference(reference: string): Expression {
  if (!reference.startsWith('$$')) {
    const parts = pathParts(reference.slice(1));
    const [only = ''] = parts;
    if (parts.length === 1) {
      return ({ current }) =>
        isDoc(current) ? (Object.hasOwn(current, only) ? current[only] : undefined) : expressionPath(current, parts);
    }
    return ({ current }) => expressionPath(current, parts);
  }
  const [name = '', ...parts] = reference.slice(2).split('.');
  if (name === 'ROOT') return ({ root }) => expressionPath(root, parts);
  if (name === 'CURRENT') return ({ current }) => expressionPath(current, parts);
  if (name === 'REMOVE') return () => undefined;
  return ({ variables }) => {
    if (!Object.hasOwn(variables, name)) throw location(17276, `Use of undefined variable: ${name}`);
    return expressionPath(variables[name], parts);
  };
}

function pathParts(path: string): string[] {
  if (path === '') throw location(16872, "'$' by itself is not a valid FieldPath");
  const parts = path.split('.');
  if (parts.includes('')) throw location(15998, 'FieldPath field names may not be empty strings.');
  return parts;
}

function compileOperator(name: string, operand: unknown): Expression {
  const lazy = lazyOperators.get(name);
  if (lazy) return lazy(operand, compileExpression);
  const strict = operators.get(name);
  if (strict) {
    const args = (Array.isArray(operand) ? operand : [operand]).map(compileExpression);
    if (args.length < strict.min || args.length > strict.max) {
      throw location(
        16020,
        `Expression ${name} takes ${arity(strict.min, strict.max)} arguments. ${args.length} were passed in.`,
      );
    }
    const { run } = strict;
    return (scope) => run(args.map((arg) => arg(scope)));
  }
  const other = borrowed(name, operand, compileExpression);
  if (!other) throw failure('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
  return other;
}

const arity = (min: number, max: number) => (min === max ? `exactly ${min}` : `at least ${min} and at most ${max}`);

/** Evaluates an expression once, outside of any document. */
export function evaluateConstant(expression: unknown, variables: Variables): unknown {
  return compileExpression(expression)({ root: {}, current: {}, variables });
}
