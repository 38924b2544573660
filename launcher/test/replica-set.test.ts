import { expect, test } from 'vitest';
import { ensurePrimary, type RunCommand } from '../replica-set.ts';

const HOST = '127.0.0.1:27027';

/** A mongod as far as its replica set goes. */
function server(config: { _id: string; version: number; members: { _id: number; host: string }[] } | undefined) {
  let current: Record<string, unknown> | undefined = config;
  const commands: string[] = [];
  const run: RunCommand = async (command) => {
    commands.push(Object.keys(command)[0] ?? '');
    if ('replSetInitiate' in command) current = { version: 1, ...Object(command.replSetInitiate) };
    if ('replSetReconfig' in command) current = Object(command.replSetReconfig);
    if ('hello' in command) return { isWritablePrimary: current !== undefined };
    if ('replSetGetConfig' in command && current === undefined) {
      throw Object.assign(new Error('no replset config has been received'), { code: 94 });
    }
    return { config: current };
  };
  return { run, commands, config: () => current };
}

async function settle(run: RunCommand): Promise<void> {
  for (let step = 0; step < 3; step++) if (await ensurePrimary(run, 'gerbang', HOST)) return;
  throw new Error('no primary after three steps');
}

test('a new server is initiated as a set of one', async () => {
  const mongod = server(undefined);
  await settle(mongod.run);
  expect(mongod.config()).toMatchObject({ _id: 'gerbang', members: [{ _id: 0, host: HOST }] });
});

test('a server that ran on another port before is moved to this one', async () => {
  const mongod = server({ _id: 'gerbang', version: 4, members: [{ _id: 0, host: '127.0.0.1:1' }] });
  await settle(mongod.run);
  expect(mongod.config()).toMatchObject({ version: 5, members: [{ _id: 0, host: HOST }] });
});

test('a server that is as it should be is left alone', async () => {
  const mongod = server({ _id: 'gerbang', version: 4, members: [{ _id: 0, host: HOST }] });
  await settle(mongod.run);
  expect(mongod.commands).toEqual(['replSetGetConfig', 'hello']);
});

test('what else goes wrong is not taken for a new server', async () => {
  const run: RunCommand = async () => Promise.reject(Object.assign(new Error('not authorized'), { code: 13 }));
  await expect(ensurePrimary(run, 'gerbang', HOST)).rejects.toThrow('not authorized');
});
