import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

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

/** A Chromium whose profile is new and empty, and gone when it closes. */
export type Device = { context: BrowserContext; close(): Promise<void> };

export type DeviceOptions = { locale: string; javaScriptEnabled?: boolean };

/** A phone, 390 pixels wide. Throws, with how to install it, where there is no Chromium. */
export function openPhone(options: DeviceOptions): Promise<Device> {
  return open({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, ...options });
}

/** A desktop's window, 1280 pixels wide. Throws, with how to install it, where there is no Chromium. */
export function openDesktop(options: DeviceOptions): Promise<Device> {
  return open({ viewport: { width: 1_280, height: 900 }, ...options });
}

/** Starts the distribution's Chromium, headless. */
async function open(options: BrowserContextOptions): Promise<Device> {
  const executablePath = CANDIDATES.find((file) => existsSync(file));
  if (executablePath === undefined)
    throw new Error('the browser tests need Chromium; install it with: apt-get install -y --no-install-recommends chromium');
  const profile = mkdtempSync(path.join(tmpdir(), 'gerbang-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: FLAGS,
    deviceScaleFactor: 1,
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
