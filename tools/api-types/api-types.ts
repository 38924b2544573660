import path from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const ROOT = path.join(import.meta.dirname, '../..');
const DOCUMENT = pathToFileURL(path.join(ROOT, 'docs/openapi.json'));

/** The types of the merchant's API, for the tests' client; generated and committed. */
export const API_TYPES = path.join(ROOT, 'test/support/api.d.ts');

const HEADER = `/**
 * The merchant's API in types, generated from docs/openapi.json: do not edit.
 * To write it again: npm run generate
 */
`;

/** The TypeScript declarations of docs/openapi.json. Throws when that is no valid OpenAPI document. */
export async function apiTypes(): Promise<string> {
  const declarations = await openapiTS(DOCUMENT, {
    // A field with a default may be left out of a request.
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  return HEADER + astToString(declarations);
}
