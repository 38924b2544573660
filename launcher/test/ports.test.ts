import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findFreePorts, readPorts, takenPorts } from '../ports.ts';
import { PORTS } from '../services.ts';

test('a taken port is named with what it is for, who has it and the variable that moves it', async () => {
  const ports = await findFreePorts();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(ports.EDGE_PORT, '127.0.0.1', resolve));
  try {
    const lines = await takenPorts(ports, ['EDGE_PORT', 'NATS_PORT']);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(`port ${ports.EDGE_PORT} (merchant API (base_url)) is taken`);
    expect(lines[0]).toMatch('set EDGE_PORT to another one');
    if (process.platform === 'linux') expect(lines[0]).toMatch(`by process ${process.pid} (`);
  } finally {
    server.close();
  }
});

test('free ports are not in use', async () => {
  const ports = await findFreePorts();
  expect(await takenPorts(ports, ['EDGE_PORT', 'SIMULATOR_PORT', 'MONGODB_PORT'])).toEqual([]);
  expect(new Set(Object.values(ports)).size).toBe(Object.keys(PORTS).length);
});

test('each port has its variable; the offset shifts the defaults alone', () => {
  expect(readPorts({})).toMatchObject({
    EDGE_PORT: 8080,
    MONGODB_PORT: 27027,
    SIMULATOR_ADMIN_PORT: 9205,
    MONEY_OUT_RPC_PORT: 9103,
  });
  expect(readPorts({ GERBANG_PORT_OFFSET: '1000', EDGE_PORT: '7777' })).toMatchObject({
    EDGE_PORT: 7777,
    BILLER_PORT: 9090,
    NATS_PORT: 5223,
  });
});

test.each([
  [{ EDGE_PORT: 'many' }, /EDGE_PORT is not valid/],
  [{ EDGE_PORT: '0' }, /EDGE_PORT/],
  [{ NATS_PORT: '70000' }, /NATS_PORT/],
  [{ GERBANG_PORT_OFFSET: '60000' }, /GERBANG_PORT_OFFSET/],
  [{ EDGE_PORT: '8070' }, /SIMULATOR_PORT and EDGE_PORT are both 8070/],
])('refuses %j', (env, message) => {
  expect(() => readPorts(env)).toThrow(message);
});
