import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { natsUsersConfig } from '../nats-users.ts';

test('deploy/nats/users.conf is what the services need now', () => {
  const file = path.resolve(import.meta.dirname, '../../deploy/nats/users.conf');
  expect(readFileSync(file, 'utf8')).toBe(natsUsersConfig());
});
