import type { ApiDocument } from './operations.ts';

/** Fields that name an account, and which of the reader's accounts an example takes there. */
const ACCOUNT_FIELDS: Readonly<Record<string, number>> = { account_id: 0, source_account_id: 0, destination_account_id: 1 };

/**
 * The document with the reader's accounts in the examples of its requests, so that they can be sent as they stand. Unchanged
 * without accounts.
 */
export function withAccounts(api: ApiDocument, accountIds: readonly string[]): ApiDocument {
  if (accountIds.length === 0) return api;
  const copy = structuredClone(api);
  for (const operation of Object.values(copy.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    const { parameters, requestBody } = recordOf(operation);
    for (const parameter of listOf(parameters)) {
      const id = accountFor(parameter.name, accountIds);
      if (id !== undefined) parameter.example = id;
    }
    const example = recordOf(recordOf(recordOf(recordOf(requestBody).content)['application/json']).example);
    for (const field of Object.keys(example)) example[field] = accountFor(field, accountIds) ?? example[field];
  }
  return copy;
}

function accountFor(field: unknown, accountIds: readonly string[]): string | undefined {
  const place = typeof field === 'string' ? ACCOUNT_FIELDS[field] : undefined;
  return place === undefined ? undefined : (accountIds[place] ?? accountIds[0]);
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** The object itself, so that it can be changed; an empty one for anything else. */
function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
