import { writeFileSync } from 'node:fs';
import { billerRoutes } from '../routes/biller.ts';
import { routes } from '../routes/index.ts';
import { createApiDocument } from './document.ts';

// Writes docs/openapi.json anew; `npm run generate` calls it.
const file = new URL('../../../../docs/openapi.json', import.meta.url);
writeFileSync(
  file,
  `${JSON.stringify(createApiDocument({ routes, billerRoutes, billerUrl: 'http://127.0.0.1:8090' }), null, 2)}\n`,
);
