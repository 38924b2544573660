import { Readable } from 'node:stream';
import { toMoney } from '@gerbang/core';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { invalid } from '../invalid.ts';
import { behaviourSchema, RAILS, type Rail } from './behaviours.ts';

type RailParams = { Params: { rail: string } };

/** PUT and DELETE /sandbox/rails/{rail}, GET …/books (contract §11). */
export function railRoutes(app: FastifyInstance, context: Context): void {
  app.put<RailParams>('/sandbox/rails/:rail', async (request, reply) => {
    const rail = findRail(request.params.rail);
    if (rail === undefined) return reply.code(404).send({ message: noSuchRail(request.params.rail) });
    const parsed = behaviourSchema.safeParse(request.body);
    if (!parsed.success) return invalid(reply, parsed.error);
    await context.behaviours.set(rail, parsed.data);
    return { rail, ...parsed.data };
  });

  app.delete<RailParams>('/sandbox/rails/:rail', async (request, reply) => {
    const rail = findRail(request.params.rail);
    if (rail === undefined) return reply.code(404).send({ message: noSuchRail(request.params.rail) });
    await context.behaviours.clear(rail);
    return { rail };
  });

  app.get<RailParams>('/sandbox/rails/:rail/books', async (request, reply) => {
    const rail = findRail(request.params.rail);
    if (rail === undefined) return reply.code(404).send({ message: noSuchRail(request.params.rail) });
    return reply.type('application/json').send(Readable.from(rail === 'bank-transfer' ? books(context) : ['{"items":[]}']));
  });
}

/** The whole books as JSON text, piece by piece: they may be long. */
async function* books(context: Context): AsyncGenerator<string> {
  yield '{"items":[';
  let separator = '';
  for await (const entry of context.books.all()) {
    const item = {
      reference_number: entry.merchantReference === '' ? entry.partnerReference : entry.merchantReference,
      transaction_id: entry.partnerReference,
      direction: 'out',
      amount: toMoney(entry.amountSen),
      status: entry.status,
    };
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield ']}';
}

function findRail(name: string): Rail | undefined {
  return RAILS.find((rail) => rail === name);
}

function noSuchRail(name: string): string {
  return `There is no rail ${name.slice(0, 40)}. Rails: ${RAILS.join(', ')}.`;
}
