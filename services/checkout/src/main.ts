import { runService } from '@gerbang/runtime';
import { readConfig } from './config.ts';
import { startService } from './service.ts';

await runService('checkout', (environment) => startService(readConfig(environment)));
