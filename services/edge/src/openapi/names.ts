import type { z } from 'zod';

/** createVirtualAccount → CreateVirtualAccount, for the names of schemas. */
export function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Gives a schema without a name this one: it becomes a component, so generated clients have a type for it. */
export function named(schema: z.ZodType, id: string): z.ZodType {
  return schema.meta()?.id === undefined ? schema.meta({ ...schema.meta(), id }) : schema;
}
