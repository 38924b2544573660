import { writeFileSync } from 'node:fs';
import { API_TYPES, apiTypes } from './api-types.ts';

writeFileSync(API_TYPES, await apiTypes());
