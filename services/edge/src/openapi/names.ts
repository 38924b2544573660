/** createVirtualAccount → CreateVirtualAccount, for the names of its schemas. */
export function pascal(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}
