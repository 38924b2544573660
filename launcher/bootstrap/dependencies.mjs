import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { failure, run, step } from './step.mjs';
import { hasWritableHome } from './tools.mjs';

/**
 * Installs the workspace's dependencies as the lockfile has them, unless that lockfile is the one last installed. The record of
 * it lies inside node_modules, so that it goes when they go.
 */
export async function installDependencies({ root, toolsFolder, pnpm, searchPath }) {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(fs.readFileSync(path.join(root, file)));
  const wanted = hash.digest('hex');
  const record = path.join(root, 'node_modules', '.gerbang-lockfile');
  if (fs.existsSync(record) && fs.readFileSync(record, 'utf8').trim() === wanted) return;
  await step('dependencies', async (note) => {
    const store = hasWritableHome() ? [] : ['--store-dir', path.join(toolsFolder, 'pnpm-store')];
    const args = ['install', '--frozen-lockfile', '--prod=false', '--reporter=append-only', ...store];
    const result = await run(pnpm, args, { cwd: root, env: { ...process.env, PATH: searchPath, CI: 'true' }, onLine: note });
    if (result.code !== 0) {
      throw failure('pnpm could not install the dependencies', result.lines, [
        'connect to the network (behind a proxy: set https_proxy; for a mirror: npm_config_registry) and run the command again',
        'or install them where there is a network (`pnpm install --frozen-lockfile`) and copy the whole folder here',
      ]);
    }
    fs.writeFileSync(record, `${wanted}\n`);
  });
}
