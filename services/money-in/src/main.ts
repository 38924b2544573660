import { runService } from '@gerbang/runtime';
import { readConfig } from './config.ts';
import { startService } from './service.ts';

await runService('money-in', (environment) => startService(readConfig(environment)));
