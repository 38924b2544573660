/** Rows of modules, true = dark, quiet zone included. */
export type Bitmap = readonly (readonly boolean[])[];

/** Modules that a shape of the given height covers, as an SVG path: one rectangle for each run of dark ones. */
export function darkRuns(row: readonly boolean[], y: number, height: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue;
    const from = x;
    while (row[x + 1]) x++;
    path += `M${from} ${y}h${x + 1 - from}v${height}h-${x + 1 - from}z`;
  }
  return path;
}

/** An SVG in units of modules, black on white, that needs no style, script or font; `label` is read out in its place. */
export function toSvg(width: number, height: number, path: string, label: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" shape-rendering="crispEdges" role="img" aria-label="${escapeAttribute(label)}">` +
    `<path fill="#fff" d="M0 0h${width}v${height}h-${width}z"/><path fill="#000" d="${path}"/></svg>`
  );
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
