/** A command as it came to the database: its fields, `$db` and sessions included. */
export type Command = Readonly<Record<string, unknown>>;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The shapes of the writes, aggregations and index definitions in a command, one for each statement; none for any other command.
 * A shape names operators and options, not values; of fields only `_id`, because it is what a cluster routes by, the others are
 * `*`. So `update one {_id =, * $lte $type} <- $set` is one shape for all fields that it may set. What differs only in the order
 * or number of fields is the same shape.
 */
export function shapesOf(name: string, body: Command): string[] {
  switch (name) {
    case 'update':
      return statements(body.updates).map((one) => updateShape(one));
    case 'delete':
      return statements(body.deletes).map(
        (one) => `delete ${one.limit === 1 ? 'one' : 'many'} ${filterShape(one.q)}${options(one, 'hint', 'collation')}`,
      );
    case 'findAndModify':
      return [findAndModifyShape(body)];
    case 'aggregate':
      return [`aggregate ${pipelineShape(body.pipeline)}${options(body, 'hint', 'let', 'collation', 'allowDiskUse')}`];
    case 'createIndexes':
      return statements(body.indexes).map((one) => `createIndexes ${indexShape(one)}`);
    default:
      return [];
  }
}

function updateShape(statement: Fields): string {
  const many = statement.multi === true ? 'many' : 'one';
  const rest = options(statement, 'upsert', 'sort', 'hint', 'collation', 'arrayFilters', 'c');
  return `update ${many} ${filterShape(statement.q)} <- ${changeShape(statement.u)}${rest}`;
}

function findAndModifyShape(body: Command): string {
  const change = body.remove === true ? 'remove' : changeShape(body.update);
  const rest = options(body, 'upsert', 'sort', 'hint', 'collation', 'arrayFilters', 'let');
  return `findAndModify ${filterShape(body.query)} <- ${change}${rest}`;
}

/** The options that are there and mean something. */
function options(of: Fields, ...names: readonly string[]): string {
  const given = names.filter((name) => of[name] !== undefined && of[name] !== false && !isEmpty(of[name]));
  return given.length === 0 ? '' : ` (${given.join(', ')})`;
}

function filterShape(filter: unknown): string {
  return `{${unique(Object.entries(fieldsOf(filter)).map(([name, operand]) => conditionShape(name, operand))).join(', ')}}`;
}

function conditionShape(name: string, operand: unknown): string {
  if (name === '$expr') return `$expr ${expressionShape(operand)}`;
  if (name.startsWith('$')) return `${name} [${unique(statements(operand).map(filterShape)).join(', ')}]`;
  const field = name === '_id' ? '_id' : '*';
  if (!isOperators(operand)) return `${field} =`;
  return `${field} ${unique(Object.entries(operand).map(([operator, value]) => operandShape(operator, value))).join(' ')}`;
}

function operandShape(operator: string, value: unknown): string {
  return operator === '$elemMatch' || operator === '$not' ? `${operator} ${filterShape(value)}` : operator;
}

/** What an update does: modifiers with what is special about them, a pipeline, or a replacement. */
function changeShape(change: unknown): string {
  if (Array.isArray(change)) return pipelineShape(change);
  const modifiers = Object.entries(fieldsOf(change));
  if (modifiers.length > 0 && !modifiers[0]?.[0].startsWith('$')) return 'replacement';
  return unique(modifiers.map(([name, fields]) => modifierShape(name, fieldsOf(fields)))).join(' ');
}

function modifierShape(name: string, fields: Fields): string {
  const special = Object.entries(fields).flatMap(([path, operand]) => [
    ...(path === '_id' || path.startsWith('_id.') ? ['_id'] : []),
    ...(path.includes('$') ? ['positional'] : []),
    ...((name === '$push' || name === '$addToSet') && isOperators(operand) ? Object.keys(operand) : []),
    ...(name === '$pull' ? [isOperators(operand) ? Object.keys(operand).join(' ') : filterShape(operand)] : []),
  ]);
  return special.length === 0 ? name : `${name}(${unique(special).join(' ')})`;
}

function pipelineShape(pipeline: unknown): string {
  const stages = statements(pipeline).flatMap((stage) => Object.entries(stage));
  return `[${stages.map(([name, operand]) => (name === '$match' ? `$match ${filterShape(operand)}` : `${name} ${expressionShape(operand)}`.trimEnd())).join(', ')}]`;
}

/** The operators and variables of an expression. */
function expressionShape(expression: unknown): string {
  return unique(operatorsOf(expression)).join(' ');
}

function operatorsOf(expression: unknown): string[] {
  if (typeof expression === 'string') return expression.startsWith('$$') ? [expression.split('.')[0] ?? ''] : [];
  if (Array.isArray(expression)) return expression.flatMap(operatorsOf);
  return Object.entries(fieldsOf(expression)).flatMap(([name, inner]) => [
    ...(name.startsWith('$') ? [name] : []),
    ...operatorsOf(inner),
  ]);
}

function indexShape(index: Fields): string {
  const { key, name, v: _version, ...rest } = index;
  const described = Object.entries(rest).map(([option, value]) =>
    option === 'partialFilterExpression' ? `partial ${filterShape(value)}` : `${option} ${String(value)}`,
  );
  const fields = Object.entries(fieldsOf(key)).map(([path, direction]) => `${path === '_id' ? '_id' : '*'} ${String(direction)}`);
  return [`{${fields.join(', ')}}`, ...described.sort()].join(' ');
}

const unique = (texts: readonly string[]) => [...new Set(texts)].sort();

function statements(list: unknown): Fields[] {
  return Array.isArray(list) ? list.map(fieldsOf) : [];
}

/** The fields of a plain document; BSON's own types have none here. */
function fieldsOf(value: unknown): Fields {
  return isPlain(value) ? value : {};
}

function isOperators(operand: unknown): operand is Fields {
  return isPlain(operand) && Object.keys(operand)[0]?.startsWith('$') === true;
}

function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

const isEmpty = (value: unknown) =>
  (Array.isArray(value) && value.length === 0) || (isPlain(value) && Object.keys(value).length === 0);
