import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { failure, run, SetupError, step } from './step.mjs';

const NODE_VERSION = '24.21.0';
const PNPM_VERSION = '12.21.0';
const MARKER = 'installed.json';
const TEMPORARY = '.installing-';

/** Path of a Node 24: GERBANG_NODE, else the one that runs where it is new enough, else the npm package's, installed once. */
export async function ensureNode(toolsFolder) {
  const given = process.env.GERBANG_NODE;
  if (given) return existing(given, 'GERBANG_NODE');
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  // The npm package `node` is nothing but an install script that fetches this one. Scripts may be disabled by policy, so it is
  // named directly.
  const name = `node-${system}-${process.arch}`;
  const binary = ['node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'];
  const folder = await ensureTool(toolsFolder, { tool: 'Node', version: NODE_VERSION }, async (temporary, note) => {
    await npmInstall(temporary, `${name}@${NODE_VERSION}`, note, [
      'connect to the network (behind a proxy: set https_proxy; for a mirror: npm_config_registry) and run the command again',
      'or install Node 24 by hand (https://nodejs.org) and run the command with it, or set GERBANG_NODE to its binary',
    ]);
    const tried = await run(path.join(temporary, ...binary), ['--version']).catch((error) => ({
      code: 1,
      lines: [error.message],
    }));
    if (tried.code !== 0) {
      throw new SetupError(
        `Node ${NODE_VERSION} of the npm package ${name} does not run on this machine (${tried.lines.at(-1) ?? 'no output'}).\n` +
          'What to do:\n  - install Node 24 by other means and set GERBANG_NODE to its binary',
      );
    }
  });
  return path.join(folder, ...binary);
}

/** Path of the pinned pnpm: GERBANG_PNPM, else the npm package's, installed once. */
export async function ensurePnpm(toolsFolder) {
  const given = process.env.GERBANG_PNPM;
  if (given) return existing(given, 'GERBANG_PNPM');
  const folder = await ensureTool(toolsFolder, { tool: 'pnpm', version: PNPM_VERSION }, async (temporary, note) => {
    await npmInstall(temporary, `pnpm@${PNPM_VERSION}`, note, [
      'connect to the network (behind a proxy: set https_proxy; for a mirror: npm_config_registry) and run the command again',
      `or install pnpm ${PNPM_VERSION} by hand (https://pnpm.io/installation) and set GERBANG_PNPM to its binary`,
    ]);
    // Without its install script the package's own command is a placeholder that only a shell can run.
    fs.mkdirSync(path.join(temporary, 'bin'));
    const script = '#!/bin/sh\nexec node "$(dirname "$(readlink -f "$0")")/../node_modules/pnpm/bin/pnpm.mjs" "$@"\n';
    fs.writeFileSync(path.join(temporary, 'bin', 'pnpm'), script, { mode: 0o755 });
  });
  return path.join(folder, 'bin', 'pnpm');
}

/**
 * The folder of a tool at one version. `install` fills a temporary folder, which takes its place by one rename and has a marker
 * file with the version, so an interrupted installation is never mistaken for a whole one.
 */
export async function ensureTool(toolsFolder, { tool, version }, install) {
  const folder = path.join(toolsFolder, `${tool.toLowerCase()}-${version}`);
  if (fs.existsSync(path.join(folder, MARKER))) return folder;
  const temporary = path.join(toolsFolder, `${TEMPORARY}${process.pid}-${randomBytes(4).toString('hex')}`);
  return step(`${tool} ${version}`, async (note) => {
    try {
      // What an interrupted installation left; no other process installs now.
      const left = fs.existsSync(toolsFolder) ? fs.readdirSync(toolsFolder).filter((name) => name.startsWith(TEMPORARY)) : [];
      for (const name of left) fs.rmSync(path.join(toolsFolder, name), { recursive: true, force: true });
      fs.mkdirSync(temporary, { recursive: true });
      await install(temporary, note);
      fs.writeFileSync(path.join(temporary, MARKER), `${JSON.stringify({ tool, version, at: new Date().toISOString() })}\n`);
      fs.rmSync(folder, { recursive: true, force: true });
      fs.renameSync(temporary, folder);
      return folder;
    } catch (error) {
      fs.rmSync(temporary, { recursive: true, force: true });
      throw error;
    }
  });
}

/** Installs one npm package into a folder of its own, without running any install script. */
async function npmInstall(folder, spec, note, remedies) {
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
  const npmCli = process.env.npm_execpath;
  const [command, first] = npmCli?.endsWith('npm-cli.js') ? [process.execPath, [npmCli]] : ['npm', []];
  const options = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--no-save',
    '--omit=dev',
    '--install-links=false',
  ];
  const patience = ['--fetch-retries=3', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  const sizes = setInterval(() => note(`${Math.round(folderBytes(folder) / 1e6)} MB`), 1_000);
  try {
    const env = { ...cleanEnvironment(), npm_config_cache: npmCache(folder) };
    // Not by --prefix: that would also make npm look for the machine's own settings (certificates, registry) there.
    const args = [...first, 'install', ...options, ...patience, spec];
    const result = await run(command, args, { cwd: folder, env });
    if (result.code !== 0) throw failure(`npm could not install ${spec}`, result.lines, remedies);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new SetupError(
      `npm is not on PATH; it is needed to install ${spec}.\nWhat to do:\n${remedies.map((r) => `  - ${r}`).join('\n')}`,
    );
  } finally {
    clearInterval(sizes);
  }
}

/**
 * The environment without what an outer `npm start` has put there about its own package; registry, proxy and certificates stay.
 */
function cleanEnvironment() {
  const outer = /^npm_(package|lifecycle)_|^npm_config_(local_prefix|prefix|global_prefix|cache|dir|ignore_scripts)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !outer.test(name)));
}

/** npm's usual cache where the home folder can be written to, else one beside the tool. */
function npmCache(folder) {
  return hasWritableHome() ? path.join(os.homedir(), '.npm') : path.join(path.dirname(folder), '.npm-cache');
}

/** Whether there is a home folder that this user can write to; a service user often has none. */
export function hasWritableHome() {
  try {
    fs.accessSync(os.homedir(), fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function existing(file, variable) {
  if (fs.existsSync(file)) return path.resolve(file);
  throw new SetupError(`${variable} names ${file}, which does not exist.`);
}

function folderBytes(folder) {
  let bytes = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    try {
      bytes += entry.isDirectory() ? folderBytes(file) : fs.lstatSync(file).size;
    } catch {
      // npm moves files about while it works; what is gone by now has no size.
    }
  }
  return bytes;
}
