/** Absent texts are empty between services and null in the merchant's API. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

/** The text as one of these words; throws when it is none, for a schema promises them. `what` says whose word it is. */
export function wordOf<Word extends string>(words: readonly Word[], text: string, what: string): Word {
  const word = words.find((known) => known === text);
  if (word === undefined) throw new Error(`there is no ${what} ${text}`);
  return word;
}
