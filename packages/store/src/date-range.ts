/** A filter for dates from one time to another, both included, Unix milliseconds; undefined where neither is told. */
export function dateRange(fromMs: number | undefined, toMs: number | undefined): { $gte?: Date; $lte?: Date } | undefined {
  if (fromMs === undefined && toMs === undefined) return undefined;
  return {
    ...(fromMs !== undefined && { $gte: new Date(fromMs) }),
    ...(toMs !== undefined && { $lte: new Date(toMs) }),
  };
}
