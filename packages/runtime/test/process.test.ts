import { createServer } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  ClosingStack,
  ConfigError,
  createLogger,
  createMetrics,
  env,
  loadConfig,
  startAdmin,
  startBusinessClock,
  within,
} from '../src/index.ts';

const log = createLogger({ service: 'test', level: 'silent' });

describe('configuration', () => {
  const shape = { NAME: z.string().min(1), PORT: env.port(80), FLAG: env.flag(false), PEER: env.address().optional() };

  test('is read once, with defaults; empty counts as absent', () => {
    expect(loadConfig(shape, { NAME: 'x', PORT: '', FLAG: 'true' })).toEqual({ NAME: 'x', PORT: 80, FLAG: true });
  });

  test('names what is missing or wrong, a line each, and never shows a value', () => {
    try {
      loadConfig(shape, { PORT: '99999', FLAG: 's3cret', PEER: 'nowhere' });
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const lines = error.message.split('\n');
      expect(lines).toHaveLength(4);
      expect(lines[0]).toBe('NAME is not set; it is required');
      expect(error.message).toMatch(/PORT is not valid.*\nFLAG is not valid.*\nPEER is not valid: expected host:port/s);
      expect(error.message).not.toContain('s3cret');
    }
  });
});

describe('probes', () => {
  test('live always, ready while it can work; metrics', async () => {
    let reason: string | undefined;
    const admin = await startAdmin({ host: '127.0.0.1', port: 0, metrics: createMetrics('test'), ready: () => reason });
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${admin.port}${path}`);
      return [response.status, await response.text()] as const;
    };
    expect(await get('/livez')).toEqual([200, 'ok\n']);
    expect(await get('/readyz')).toEqual([200, 'ok\n']);
    reason = 'the database does not answer';
    expect(await get('/readyz')).toEqual([503, 'the database does not answer\n']);
    expect((await get('/metrics'))[1]).toContain('process_cpu_user_seconds_total{service="test"}');
    expect((await get('/other'))[0]).toBe(404);
    await admin.close();
  });
});

describe('closing', () => {
  test('goes backwards, and one that fails or hangs stops no other', async () => {
    const closed: string[] = [];
    const stack = new ClosingStack(log, 50);
    stack.push('first', () => void closed.push('first'));
    stack.push('hangs', () => new Promise(() => {}));
    stack.push('fails', () => Promise.reject(new Error('no')));
    stack.push('last', () => void closed.push('last'));
    await stack.close();
    expect(closed).toEqual(['last', 'first']);
  });

  test('a wait has a bound', async () => {
    await expect(within(10, new Promise(() => {}))).rejects.toThrow('10 ms');
    expect(await within(1_000, Promise.resolve(7))).toBe(7);
  });
});

describe('business clock', () => {
  test('follows the sandbox, also over a simulator that goes away; the offset only grows', async () => {
    let offset = 1_000;
    let broken = false;
    const server = createServer((request, response) => {
      const after = Number(new URL(request.url ?? '', 'http://x').searchParams.get('after') ?? -1);
      const answer = () => {
        if (broken) return void request.socket.destroy();
        if (offset > after) return void response.end(JSON.stringify({ now: 0, offset_ms: offset }));
        setTimeout(answer, 5);
      };
      answer();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no TCP address');
    const clock = await startBusinessClock(`http://127.0.0.1:${address.port}/sandbox/clock`, log);
    expect(clock.now() - Date.now()).toBeGreaterThan(900);
    let advances = 0;
    clock.onAdvance(() => advances++);
    offset = 60_000;
    await vi.waitFor(() => expect(advances).toBe(1), { timeout: 10_000 });
    broken = true;
    offset = 120_000;
    broken = false;
    await vi.waitFor(() => expect(clock.now() - Date.now()).toBeGreaterThan(119_000), { timeout: 10_000 });
    await clock.close();
    server.close();
    server.closeAllConnections();
  });

  test('is real time without an address', async () => {
    const clock = await startBusinessClock(undefined, log);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(50);
    await clock.close();
  });
});
