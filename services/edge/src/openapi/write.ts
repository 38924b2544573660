import { writeFileSync } from 'node:fs';
import { routes } from '../routes/index.ts';
import { createApiDocument } from './document.ts';

// Writes docs/openapi.json anew; `npm run generate` calls it.
const file = new URL('../../../../docs/openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(createApiDocument(routes), null, 2)}\n`);
