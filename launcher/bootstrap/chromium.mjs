import fs from 'node:fs';
import process from 'node:process';
import { run, step } from './step.mjs';

/** Where distributions put it; packages/testkit/src/browser.ts looks there too. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const APT_GET = '/usr/bin/apt-get';
const APT_ENV = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
const COMMON = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=60', '-o', 'Acquire::Retries=2', '-o', 'Acquire::http::Timeout=20'];

/**
 * The browser of the browser tests: the distribution's package, installed once where this is Debian or Ubuntu and the user is
 * root. Anywhere else, and where that does not work, the tests themselves say how to get it, and fail.
 */
export async function ensureChromium() {
  if (PLACES.some((file) => fs.existsSync(file))) return;
  if (process.getuid?.() !== 0 || !fs.existsSync(APT_GET)) return;
  await step('Installing the package chromium for the browser tests', async (note) => {
    const install = () =>
      run(APT_GET, [...COMMON, 'install', '--no-install-recommends', 'chromium'], { env: APT_ENV, onLine: note });
    if ((await install()).code === 0) return;
    await run(APT_GET, [...COMMON, 'update'], { env: APT_ENV, onLine: note });
    const { code, lines } = await install();
    if (code !== 0) process.stderr.write(`  chromium could not be installed: ${lines.at(-1) ?? `exit code ${code}`}\n`);
  });
}
