import { runService } from '@gerbang/runtime';
import { readConfig } from './config.ts';
import { startService } from './service.ts';

await runService('biller', (environment) => startService(readConfig(environment)));
