/** `numbered(400, 0, 2)`: 40000, 40001, 40002. */
export const numbered = (http: number, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `${http}${String(from + i).padStart(2, '0')}`);

/** Every case that SNAP's list of response codes has, as HTTP status and case. */
export const SNAP_CASES: readonly string[] = [
  '20000',
  '20200',
  ...numbered(400, 0, 2),
  ...numbered(401, 0, 4),
  ...numbered(403, 0, 23),
  ...numbered(404, 0, 19),
  ...numbered(405, 0, 1),
  ...numbered(409, 0, 1),
  '42900',
  ...numbered(500, 0, 2),
  '50400',
];
