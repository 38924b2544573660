import { ALLOWED_LICENCES, LICENCE_EXCEPTIONS } from './policy.ts';
import { type Component, nameOf } from './sbom.ts';

/** What is wrong with the licences of these packages on a day (YYYY-MM-DD), a line each; so are exceptions that have ended. */
export function licenceFaults(components: readonly Component[], today: string): string[] {
  const faults = components.flatMap((component) => {
    const name = nameOf(component);
    const licence = licenceOf(component);
    if (licence === '') return [`${name}@${component.version} names no licence`];
    if (isAllowed(licence)) return [];
    const exception = LICENCE_EXCEPTIONS.find((one) => one.name.test(name) && one.licence === licence);
    if (exception === undefined) return [`${name}@${component.version} has the licence ${licence}, which is not allowed`];
    return exception.until < today ? [`the exception for ${name} (${licence}) has ended on ${exception.until}`] : [];
  });
  const names = components.map(nameOf);
  const unused = LICENCE_EXCEPTIONS.filter((one) => !names.some((name) => one.name.test(name)));
  return [...faults, ...unused.map(({ name }) => `the exception for ${name.source} is not needed any more`)];
}

function licenceOf({ licenses = [] }: Component): string {
  return licenses.map((one) => one.expression ?? one.license?.id ?? one.license?.name ?? '').join(' AND ');
}

/** An expression of SPDX: one side of an OR is enough, each of an AND is needed. */
export function isAllowed(expression: string): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const either = (): boolean => {
    let allowed = both();
    while (tokens[at] === 'OR') {
      at++;
      allowed = both() || allowed;
    }
    return allowed;
  };
  const both = (): boolean => {
    let allowed = one();
    while (tokens[at] === 'AND') {
      at++;
      allowed = one() && allowed;
    }
    return allowed;
  };
  const one = (): boolean => {
    const token = tokens[at++] ?? '';
    if (token !== '(') return ALLOWED_LICENCES.includes(token);
    const allowed = either();
    return tokens[at++] === ')' && allowed;
  };
  // What is left over was not understood, a WITH for instance: then a person looks at it.
  return either() && at === tokens.length;
}
