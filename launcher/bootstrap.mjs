// Runs on the Node that the machine has (20 or newer), with nothing installed: obtains the tools, then hands over to
// launcher/main.ts on Node 24.
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from './bootstrap/chromium.mjs';
import { installDependencies } from './bootstrap/dependencies.mjs';
import { handOver } from './bootstrap/hand-over.mjs';
import { takeInstallLock } from './bootstrap/install-lock.mjs';
import { ensureNats } from './bootstrap/nats.mjs';
import { ensureSchemathesis } from './bootstrap/schemathesis.mjs';
import { SetupError } from './bootstrap/step.mjs';
import { ensureNode, ensurePnpm } from './bootstrap/tools.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dataFolder = path.resolve(root, process.env.GERBANG_DATA || '.gerbang');
const toolsFolder = path.resolve(root, process.env.GERBANG_TOOLS || path.join(dataFolder, 'tools'));
const args = process.argv.slice(2);

/** Tests, benchmarks and checks of the API start a NATS of their own also where NATS_URL is set. */
const needsNats =
  ['test', 'chaos', 'bench', 'check:api', 'check:clients'].includes(args[0]) ||
  (args[0] === 'start' && !process.env.NATS_URL) ||
  (args[0] === 'generate' && args.includes('--examples'));

try {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new SetupError(`Node 20 or newer is needed to start; this is ${process.version}.`);
  }
  const { node, searchPath } = await prepare();
  await handOver({ node, main: path.join(root, 'launcher', 'main.ts'), args, root, dataFolder, searchPath });
} catch (error) {
  process.stderr.write(`gerbang: ${error instanceof SetupError ? error.message : error.stack}\n`);
  process.exit(1);
}

/** Everything that has to be there before the launcher runs; quick where it is. */
async function prepare() {
  const letGo = await takeInstallLock(toolsFolder);
  try {
    const node = await ensureNode(toolsFolder);
    const pnpm = await ensurePnpm(toolsFolder);
    const folders = [path.dirname(node), path.dirname(pnpm), path.join(root, 'node_modules', '.bin')];
    if (needsNats) folders.push(path.dirname(await ensureNats(toolsFolder)));
    if (args[0] === 'test') await ensureChromium();
    if (args[0] === 'check:api') {
      const python = await ensureSchemathesis(toolsFolder, path.join(root, 'test', 'api', 'schemathesis', 'requirements.txt'));
      if (python !== undefined) args.push('--python', python);
    }
    const searchPath = [...folders, process.env.PATH ?? ''].join(path.delimiter);
    await installDependencies({ root, toolsFolder, pnpm, searchPath });
    return { node, searchPath };
  } finally {
    letGo();
  }
}
