import { isBounded, type Judged, missedBy } from './bars.ts';
import type { Measured } from './run.ts';
import { rounded, type Spread } from './statistics.ts';

/** What a person reads after a run: every figure and every bar, the median and the span over the rounds. */
export function renderReport({ figures, bars }: Measured): string {
  const measured = Object.entries(figures).map(([name, spread]) => [name, format(spread.median), span(spread)]);
  const judged = bars.map((bar) => [bar.name, format(bar.value.median), span(bar.value), verdict(bar)]);
  const sections = [table(['figure', 'median', 'span'], measured), table(['bar', 'median', 'span', ''], judged)];
  return `${sections.join('\n')}\n`;
}

function verdict(bar: Judged): string {
  if (!isBounded(bar)) return '';
  const bounds = [bar.min === undefined ? [] : `≥ ${bar.min}`, bar.max === undefined ? [] : `≤ ${bar.max}`].flat().join(' and ');
  if (bar.held) return `${bounds}  held`;
  const by = missedBy(bar);
  return `${bounds}  MISSED${Number.isNaN(by) ? ': not measured' : ` by ${Math.ceil(by * 100)} %`}`;
}

function span({ min, max }: Spread): string {
  return min === max || Number.isNaN(min) ? '' : `${format(min)} – ${format(max)}`;
}

function format(value: number): string {
  return Number.isNaN(value) ? 'none' : rounded(value).toLocaleString('en', { maximumSignificantDigits: 4 });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ');
  return [head, ...rows].map((row) => `${line(row).trimEnd()}\n`).join('');
}
