import { failure, location } from '../errors.ts';

/** The parts of a path as sorts, projections and expressions name a field. Refuses what names none. */
export function pathParts(path: string): string[] {
  if (path === '') throw location(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) throw location(40353, "FieldPath must not end with a '.'.");
  const parts = path.split('.');
  for (const part of parts) checkFieldName(part);
  if (parts.length > 200) throw failure('Overflow', 'FieldPath is too long');
  return parts;
}

/** Refuses a name that is no single field's. */
export function checkFieldName(name: string): void {
  if (name === '') throw location(15998, 'FieldPath field names may not be empty strings.');
  if (name.startsWith('$'))
    throw location(16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.");
  if (name.includes('\0')) throw location(16411, 'FieldPath field names may not contain null bytes.');
  if (name.includes('.'))
    throw location(16412, "FieldPath field names may not contain '.'. Consider using $getField or $setField.");
}
