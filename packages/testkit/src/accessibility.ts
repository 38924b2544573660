import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const results = z.object({
  passes: z.array(z.unknown()),
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** What axe finds wrong on the page by WCAG 2.2 level AA: the rule and the element, a line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const found = results.parse(await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(RULES)} })`));
  if (found.passes.length === 0) throw new Error('axe has looked at nothing');
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
