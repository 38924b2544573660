import { z } from 'zod';
import { messagePage } from '../pages/message.ts';
import { type Handler, sendPage, viewOf } from './visit.ts';

const parameters = z.object({ name: z.string().max(100) });

/** GET /assets/{name}: a file of ours. Its name changes with its content, so browsers keep it. */
export const showAsset: Handler = async (context, request, reply) => {
  const asset = context.assets.find(parameters.parse(request.params).name);
  if (asset === undefined) {
    const view = viewOf(context, request);
    return sendPage(reply, view, 404, messagePage(view, 'notFound'));
  }
  return reply.header('cache-control', 'public, max-age=31536000, immutable').type(asset.type).send(asset.bytes);
};
