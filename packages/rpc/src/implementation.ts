import type { DescService } from '@bufbuild/protobuf';
import type { CallContext, Handlers } from './service-types.ts';

/** Who may call a method when certificates are configured: names of services, by the certificates' URIs. */
export type Callers = readonly string[];

export type UntypedHandler = (request: never, context: CallContext) => Promise<unknown>;

/** A service with its handlers, ready for `startRpcServer`. */
export type Implementation = {
  desc: DescService;
  handlers: Record<string, UntypedHandler>;
  /** Undefined: every caller with a certificate of the authority. */
  callers: (method: string) => Callers | undefined;
};

/**
 * Binds handlers to a service. `callers` lists who may call each method (or all of them); it is enforced when TLS is configured.
 */
export function implement<S extends DescService>(
  desc: S,
  handlers: Handlers<S>,
  callers: Callers | Record<keyof S['method'] & string, Callers>,
): Implementation {
  const list = (method: string): Callers => {
    if (Array.isArray(callers)) return callers;
    return (callers as Record<string, Callers>)[method] ?? [];
  };
  return { desc, handlers, callers: list };
}
