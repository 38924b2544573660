import type { FailingEndpoint } from './failing-endpoint.ts';

/** What is stored of an endpoint that fails. */
export type EndpointDocument = {
  _id: string;
  schema: number;
  failing_since: Date;
  last_failed_at: Date;
  alerted_at?: Date;
};

export function toFailingEndpoint(document: EndpointDocument): FailingEndpoint {
  return {
    endpoint: document._id,
    failingSinceMs: document.failing_since.getTime(),
    lastFailedAtMs: document.last_failed_at.getTime(),
    alertedAtMs: document.alerted_at?.getTime(),
  };
}
