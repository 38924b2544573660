/** Licences that any dependency may have: none asks more of who runs or changes Gerbang than to keep a notice. */
export const ALLOWED_LICENCES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
];

/** Ends on its day, so that somebody looks at it again; `until` is a day as YYYY-MM-DD. */
type Exception = { reason: string; until: string };

/** Packages with another licence. */
export const LICENCE_EXCEPTIONS: readonly ({ name: RegExp; licence: string } & Exception)[] = [
  {
    name: /^axe-core$/,
    licence: 'MPL-2.0',
    reason: 'Tests of the pages run it unchanged; no service has it.',
    until: '2027-12-31',
  },
  {
    name: /^lightningcss(?:-[a-z0-9-]+)?$/,
    licence: 'MPL-2.0',
    reason: 'The test runner has it, unchanged; no service has it.',
    until: '2027-12-31',
  },
];

/** Advisories that do not concern us, by their GHSA id. */
export const ADVISORY_EXCEPTIONS: readonly ({ advisory: string } & Exception)[] = [];

/** From which severity on an advisory fails the check: any in what services run on, the worst in what only builds and tests. */
export const FAILS: Readonly<Record<'production' | 'development', readonly string[]>> = {
  production: ['low', 'moderate', 'high', 'critical'],
  development: ['high', 'critical'],
};
