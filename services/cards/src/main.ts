import { runService } from '@gerbang/runtime';
import { readConfig } from './config.ts';
import { startService } from './service.ts';

await runService('cards', (environment) => startService(readConfig(environment)));
