import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import type { Browser, CDPSession } from 'playwright-core'

const KEYS = 100
/** Between two keys of a fast typist. */
const PAUSE_MS = 60
const LINE = 'The quick brown fox jumps over the lazy dog near {{place}} again. '
/** About 40,000 tokens. */
const PROMPT = `${LINE.repeat(10)}\n`.repeat(250)

/** How long the main thread works for a key that is typed into a prompt of 40,000 tokens in the playground. */
export async function measureTyping(browser: Browser, server: ServerProcess): Promise<object> {
  const id = await createApplication(server)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(`${server.url}/w/playground/applications/${id}#key=${server.apiKey}`)
  await page.getByRole('textbox', { name: 'Content of v1, message 1' }).click()
  const session = await page.context().newCDPSession(page)
  // Time of the processor: what other programs do does not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await workedMs(session)
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press('x')
    await page.waitForTimeout(PAUSE_MS)
  }
  const msPerKey = Math.round(((await workedMs(session)) - before) / KEYS)
  await page.close()
  return { goalMs: 16, msPerKey, characters: PROMPT.length, keys: KEYS }
}

async function createApplication({ url, apiKey }: ServerProcess): Promise<string> {
  const parameters = { prompt: { messages: [{ role: 'user', content: PROMPT }] } }
  const data = { uri: 'agenta:builtin:completion:v0', parameters }
  const answer = await fetch(`${url}/api/simple/applications/`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ application: { slug: 'long', name: 'Long', data } }),
  })
  return ((await answer.json()) as { application: { id: string } }).application.id
}

async function workedMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
}
