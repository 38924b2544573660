/**
 * The commands of a text's `sh` blocks, block by block; those in `console` blocks need a cluster or an engine, and are not run.
 * `npm run check:deploy` itself is left out, because it runs them.
 */
export function readmeCommands(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text.trim());
  return blocks.filter((text) => text !== 'npm run check:deploy');
}
