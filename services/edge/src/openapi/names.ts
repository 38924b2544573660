import type { z } from 'zod';

/** createVirtualAccount → CreateVirtualAccount, for the names of its schemas. */
export function pascal(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}

/** A schema that has no name of its own becomes a component of this name: generated clients have a type for it. */
export function named(schema: z.ZodType, id: string): z.ZodType {
  return schema.meta()?.id === undefined ? schema.meta({ ...schema.meta(), id }) : schema;
}
