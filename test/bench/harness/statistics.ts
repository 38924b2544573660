/** The middle of some values, and the span from the least to the greatest of them. NaN where there are none or one is NaN. */
export type Spread = { median: number; min: number; max: number };

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0 || values.some(Number.isNaN)) return { median: Number.NaN, min: Number.NaN, max: Number.NaN };
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = sorted.length / 2;
  const median = Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle));
  return { median, min: at(0), max: at(sorted.length - 1) };
}

export function median(values: readonly number[]): number {
  return spreadOf(values).median;
}

/**
 * By nearest rank: the least value that at least this share of all values doesn't exceed. `sorted` ascends; NaN where it is
 * empty.
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

export type Latencies = { count: number; p50Ms: number; p99Ms: number; maxMs: number };

/** How long the single answers took, ms. */
export function latenciesOf(tookMs: ArrayLike<number>): Latencies {
  const sorted = Float64Array.from(tookMs).sort();
  return { count: sorted.length, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99), maxMs: percentile(sorted, 1) };
}

/**
 * Numbers one after the other, kept so that adding one leaves no garbage: a collector that stops the load generator would show in
 * the latencies.
 */
export class Samples {
  #values = new Float64Array(2 ** 16);
  #count = 0;

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count++] = value;
  }

  all(): Float64Array {
    return this.#values.subarray(0, this.#count);
  }
}

/** Four significant digits: more would pretend an accuracy that no run has. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** Every number in an object by its path, `a.b.c`; whatever else is in it is left out. */
export function numbersIn(value: object, prefix = ''): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'number') found[prefix + name] = inner;
    else if (typeof inner === 'object' && inner !== null) Object.assign(found, numbersIn(inner, `${prefix}${name}.`));
  }
  return found;
}
