import { statSync } from 'node:fs';

/** A service's configuration as it has been read, by the names of variables. */
export type Settings = ReadonlyMap<string, unknown>;

/** Gives a line for each reason not to start in production. */
export type Check = (given: { service: string; settings: Settings; nowMs: number }) => string[];

/** A variable's text; undefined where it is not set, or is no text. */
export function textOf(settings: Settings, variable: string): string | undefined {
  const value = settings.get(variable);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Why a file of a secret is not safe: others than its owner may read or change it, or it cannot be looked at. */
export function fileReasons(variable: string, file: string): string[] {
  try {
    if ((statSync(file).mode & 0o077) === 0) return [];
    return [`${variable} is not safe: its group or others may use the file; production requires mode 0600 or 0400`];
  } catch {
    return [`${variable} is not valid: the file cannot be read`];
  }
}
