import { create } from '@bufbuild/protobuf';
import { RefusalError, refuse } from '@gerbang/core';
import {
  type BeginRequest,
  BeginRequestSchema,
  BeginResponseSchema,
  CheckOperatorRequestSchema,
  type FinishRequest,
  FinishRequestSchema,
} from '@gerbang/proto/gerbang/operator/v1/operator';
import type { CallContext } from '@gerbang/rpc';
import type { OperatorGate } from '@gerbang/service/operators';
import type { Context } from '../context.ts';
import { begin } from './begin.ts';
import { checkOperator } from './check-operator.ts';
import { finish } from './finish.ts';

/** Begin for another service; with certificates a service begins only its own commands. Refusals: forbidden, and those of `begin`. */
export async function beginFor(context: Context, request: BeginRequest, call: CallContext) {
  if (call.caller !== undefined && call.caller !== request.service) {
    const { caller } = call;
    context.log.error({ caller, method: request.method }, 'alert: a service has asked to begin a command of another one');
    throw new RefusalError(refuse('forbidden', { message: `${call.caller} may not begin commands of ${request.service}` }));
  }
  return begin(context, request);
}

/** Finish for another service; a service ends only its own commands. Refusals: forbidden. */
export async function finishFor(context: Context, request: FinishRequest, call: CallContext) {
  return finish(context, request, (service) => {
    if (call.caller === undefined || call.caller === service) return;
    throw new RefusalError(refuse('forbidden', { message: `${call.caller} may not end commands of ${service}` }));
  });
}

/** This service's own gate, without a call to itself. */
export function localGate(context: Context): OperatorGate {
  return {
    service: 'merchant',
    log: context.log,
    begin: async (request) => create(BeginResponseSchema, await begin(context, create(BeginRequestSchema, request))),
    finish: (request) => finish(context, create(FinishRequestSchema, request)),
    checkOperator: (request) => checkOperator(context, create(CheckOperatorRequestSchema, request)),
  };
}
