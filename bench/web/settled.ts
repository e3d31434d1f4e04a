import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, CDPSession } from 'playwright-core'

const PAUSE_MS = 150
/** Processor time in a pause with which the browser counts as idle. */
const IDLE_MS = 8

/**
 * Waits until a browser is idle. A new window makes Chromium load a page of its own menus, which takes half a second of
 * processor time: people have had their window open for a while.
 */
export async function settled(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession()
  let before = await cpuMs(session)
  for (;;) {
    await delay(PAUSE_MS)
    const now = await cpuMs(session)
    if (now - before < IDLE_MS) break
    before = now
  }
  await session.detach()
}

/** Of all processes of the browser. */
async function cpuMs(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0)
}
