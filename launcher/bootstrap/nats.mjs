import fs from 'node:fs';
import path from 'node:path';
import { failure, run, SetupError } from './step.mjs';
import { ensureTool } from './tools.mjs';

const RELEASES = 'https://github.com/nats-io/nats-server/releases';
const PACKAGE_FILE = /^nats-server_.*\.deb$/;

/**
 * Path of a nats-server: GERBANG_NATS_SERVER, else the one on PATH, else the distribution's package (Debian, Ubuntu), unpacked
 * into the tools folder without root. Elsewhere it says how to get one.
 */
export async function ensureNats(toolsFolder) {
  const given = process.env.GERBANG_NATS_SERVER;
  if (given) {
    if (fs.existsSync(given)) return path.resolve(given);
    throw new SetupError(`GERBANG_NATS_SERVER names ${given}, which does not exist.`);
  }
  const found = onPath('nats-server');
  if (found !== undefined) return found;
  if (onPath('apt-get') === undefined || onPath('dpkg') === undefined) {
    throw new SetupError(
      [
        'nats-server is not on PATH, and this is not a Debian or Ubuntu from whose packages it could be taken.',
        'What to do:',
        ...byHand(),
      ].join('\n'),
    );
  }
  const folder = await ensureTool(toolsFolder, { tool: 'nats-server', version: 'debian' }, unpackDistributionPackage);
  return path.join(folder, 'usr', 'sbin', 'nats-server');
}

/** With package lists as the machine has them, else with fresh ones; both kept out of the system's own folders. */
async function unpackDistributionPackage(folder, note) {
  const apt = path.join(folder, 'apt');
  for (const part of ['state/lists/partial', 'cache/archives/partial', 'download'])
    fs.mkdirSync(path.join(apt, part), { recursive: true });
  const download = path.join(apt, 'download');
  const common = [
    '-q',
    '-o',
    `Dir::Cache=${apt}/cache`,
    '-o',
    'APT::Sandbox::User=',
    '-o',
    'Acquire::Retries=2',
    '-o',
    'Acquire::http::Timeout=20',
  ];
  const own = ['-o', `Dir::State=${apt}/state`, '-o', `Dir::State::lists=${apt}/state/lists`];
  note('looking for the package');
  let got = await run('apt-get', [...common, 'download', 'nats-server'], { cwd: download });
  if (packageIn(download) === undefined) {
    // One source of several may be out of order without harm, so what counts is whether the download then works.
    const updated = await run('apt-get', [...common, ...own, '-o', 'Acquire::Languages=none', 'update'], { onLine: note });
    note('downloading the package');
    got = await run('apt-get', [...common, ...own, 'download', 'nats-server'], { cwd: download });
    got.lines = [...updated.lines, ...got.lines];
  }
  const file = packageIn(download);
  if (file === undefined)
    throw failure(
      'apt-get could not download the package nats-server',
      got.lines,
      byHand().map((line) => line.slice(4)),
    );
  note('unpacking');
  const unpacked = await run('dpkg', ['-x', path.join(download, file), folder]);
  if (unpacked.code !== 0)
    throw failure(
      `dpkg could not unpack ${file}`,
      unpacked.lines,
      byHand().map((line) => line.slice(4)),
    );
  fs.rmSync(apt, { recursive: true, force: true });
  const tried = await run(path.join(folder, 'usr', 'sbin', 'nats-server'), ['--version']);
  if (tried.code !== 0)
    throw failure(
      'the unpacked nats-server does not run',
      tried.lines,
      byHand().map((line) => line.slice(4)),
    );
}

function packageIn(folder) {
  return fs.readdirSync(folder).find((name) => PACKAGE_FILE.test(name));
}

function byHand() {
  return [
    '  - connect to the network (behind a proxy: set https_proxy and http_proxy) and run the command again',
    `  - or download nats-server from ${RELEASES} and put it on PATH, or set GERBANG_NATS_SERVER to it`,
    '  - or, for `npm start`, set NATS_URL to a server that runs already, with JetStream on',
  ];
}

function onPath(name) {
  // Debian keeps servers in sbin, which is not on everyone's PATH.
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => path.join(folder, name)).find((file) => isExecutable(file));
}

function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
