import type { DescService, Message } from '@bufbuild/protobuf';
import { RefusalError } from '@gerbang/core';
import type { CallOptions, RpcClient } from '@gerbang/rpc';

/**
 * A client whose calls are the first operator's, and where a second one has to approve, the second one's too. For sandboxes, tests
 * and benchmarks, where both are the same program.
 */
export function withApproval<S extends DescService>(desc: S, first: RpcClient<S>, second: RpcClient<S>): RpcClient<S> {
  const calls = desc.methods.map(({ localName }) => [
    localName,
    async (request: Record<string, unknown>, options?: CallOptions): Promise<Message> => {
      try {
        return await callOf(first, localName)(request, options);
      } catch (error) {
        if (!(error instanceof RefusalError) || error.refusal.refused !== 'approval_needed') throw error;
        return callOf(second, localName)(request, options);
      }
    },
  ]);
  return Object.fromEntries(calls) as RpcClient<S>;
}

function callOf(client: RpcClient<DescService>, localName: string) {
  const call = client[localName];
  if (call === undefined) throw new Error(`there is no method ${localName}`);
  return call;
}
