import { runService } from '@gerbang/runtime';
import { readConfig } from './config.ts';
import { startService } from './service.ts';

await runService('money-out', (environment) => startService(readConfig(environment)));
