/** Where a posting stands in its partition for ever: what a cursor says. */
export type Position = { atMs: number; seq: bigint; index: number };

/** The text of a cursor that says where a posting stands. */
export function writePosition({ at, seq, index }: { at: Date; seq: bigint; index: number }): string {
  return `${at.getTime()}.${seq}.${index}`;
}

/** What `writePosition` has written; undefined for any other text. */
export function readPosition(text: string): Position | undefined {
  const found = /^(\d{1,15})\.(\d{1,16})\.(\d{1,5})$/.exec(text);
  if (found === null) return undefined;
  const [, atMs = '', seq = '', index = ''] = found;
  return { atMs: Number(atMs), seq: BigInt(seq), index: Number(index) };
}
