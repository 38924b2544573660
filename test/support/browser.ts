import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A phone of 390 pixels; its profile is new and empty, and gone when it closes. */
export type Phone = { context: BrowserContext; close(): Promise<void> };

/** Starts the distribution's Chromium, headless. Throws, with how to install it, where there is none. */
export async function openPhone(options: { locale: string; javaScriptEnabled?: boolean }): Promise<Phone> {
  const executablePath = CANDIDATES.find((file) => existsSync(file));
  if (executablePath === undefined)
    throw new Error('the browser tests need Chromium; install it with: apt-get install -y --no-install-recommends chromium');
  const profile = mkdtempSync(path.join(tmpdir(), 'gerbang-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: FLAGS,
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 1,
    isMobile: true,
    hasTouch: true,
    timezoneId: 'Asia/Jakarta',
    ...options,
  });
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
