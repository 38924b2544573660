import { type Doc, isDoc } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { checkFieldName, pathParts } from '../query/field-path.ts';
import { expressionPath, setField } from '../query/path.ts';
import { operators } from './operators.ts';
import { borrowed, isBorrowed } from './operators-borrowed.ts';
import { lazyOperators } from './operators-lazy.ts';
import type { Expression, Variables } from './scope.ts';
import { checkNameRead } from './variables.ts';

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
    checkFieldName(name);
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
    if (reference === '$') throw location(16872, "'$' by itself is not a valid FieldPath");
    const parts = pathParts(reference.slice(1));
    const [only = ''] = parts;
    if (parts.length === 1) {
      return ({ current }) =>
        isDoc(current) ? (Object.hasOwn(current, only) ? current[only] : undefined) : expressionPath(current, parts);
    }
    return ({ current }) => expressionPath(current, parts);
  }
  const dot = reference.indexOf('.');
  const name = dot < 0 ? reference.slice(2) : reference.slice(2, dot);
  checkNameRead(name);
  const parts = dot < 0 ? [] : pathParts(reference.slice(dot + 1));
  if (name === 'ROOT') return ({ root }) => expressionPath(root, parts);
  if (name === 'CURRENT') return ({ current }) => expressionPath(current, parts);
  if (name === 'REMOVE') return () => undefined;
  return ({ variables }) => {
    if (!Object.hasOwn(variables, name)) throw location(17276, `Use of undefined variable: ${name}`);
    return expressionPath(variables[name], parts);
  };
}

function compileOperator(name: string, operand: unknown): Expression {
  const lazy = lazyOperators.get(name);
  if (lazy) return lazy(operand, compileExpression);
  const strict = operators.get(name);
  if (strict) {
    const args = (Array.isArray(operand) ? operand : [operand]).map(compileExpression);
    if (args.length < strict.min || args.length > strict.max) {
      throw location(
        strict.min === strict.max ? 16020 : 28667,
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

/** Whether an operator of expressions has this name. */
export const isExpressionName = (name: string): boolean => lazyOperators.has(name) || operators.has(name) || isBorrowed(name);

/** Evaluates an expression once, outside of any document. */
export function evaluateConstant(expression: unknown, variables: Variables): unknown {
  return compileExpression(expression)({ root: {}, current: {}, variables });
}
