import { type Browser, chromium, type Page } from 'playwright-core'
import { withMonth } from '../reads/reads.ts'
import { CUSTOMERS, MONTH, ROUTES, SPANS_PER_TRACE, sessionOf, USERS } from '../reads/traces.ts'

const RUNS = 40

/** Filters of the list, with other values in each run. */
const FILTERS: Record<string, (run: number, traces: number) => string> = {
  user: run => `user:user-${(run * 131) % USERS}`,
  session: (run, traces) => `session:${sessionOf(Math.floor((traces * run) / RUNS))}`,
  status: run => (run % 2 ? 'status:error' : 'status:ok'),
  type: run => (run % 2 ? 'type:workflow' : 'type:chain'),
  tokens: run => `tokens>${7_900 + run}`,
  customer: run => `customer:customer-${(run * 7) % CUSTOMERS}`,
  route: run => `http.route:/v1/items/${(run * 17) % ROUTES}`,
}

/**
 * From the last key of a filter until its first row is drawn, and until that row also shows what it says, in a list of a
 * month of so many spans.
 */
export async function benchWebList({ spans }: { spans: number }): Promise<object> {
  return withMonth(spans, async server => {
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox'],
    })
    try {
      const address = `${server.url}/w/traces?from=${MONTH.oldest}&to=${MONTH.newest}#key=${server.apiKey}`
      const page = await openList(browser, address)
      const found: Record<string, object> = {}
      for (const [name, filter] of Object.entries(FILTERS)) {
        const runs: Drawn[] = []
        for (let run = 0; run < RUNS; run++) runs.push(await keyToRows(page, filter(run, spans / SPANS_PER_TRACE)))
        const at = (share: number, of: keyof Drawn): number =>
          runs.map(run => run[of]).sort((one, other) => one - other)[Math.floor(RUNS * share)] as number
        const previews = { p50Ms: at(0.5, 'previewMs'), p95Ms: at(0.95, 'previewMs') }
        found[name] = { p50Ms: at(0.5, 'rowMs'), p95Ms: at(0.95, 'rowMs'), previews }
        process.stderr.write(`${name}: ${JSON.stringify(found[name])}\n`)
      }
      return { spans, goalP95Ms: 150, keyToRows: found, runs: RUNS }
    } finally {
      await browser.close()
    }
  })
}

async function openList(browser: Browser, address: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(address)
  await page.locator('[data-row="0"]').waitFor()
  return page
}

/** Milliseconds from the key until the first row was drawn with its name, time and totals, and then with its preview. */
interface Drawn {
  rowMs: number
  previewMs: number
}

/** The whole line is typed but for its last character, whose key counts once everything else is here. */
async function keyToRows(page: Page, filter: string): Promise<Drawn> {
  await page.getByRole('combobox', { name: 'Filter' }).fill(filter.slice(0, -1))
  await page.waitForTimeout(300)
  await page.waitForLoadState('networkidle')
  // Text, because the types of a browser are not those of this program.
  await page.evaluate(`void (globalThis.drawn = new Promise(resolve => {
    let pressedAt
    addEventListener('keydown', () => { pressedAt = performance.now() }, { once: true, capture: true })
    const row = () => document.querySelector('[data-row="0"]')
    const before = row()?.textContent
    const sincePress = () => Math.round(performance.now() - pressedAt)
    let rowMs
    const changes = new MutationObserver(() => {
      if (pressedAt === undefined || row()?.textContent === before) return
      if (rowMs === undefined) rowMs = new Promise(done => requestAnimationFrame(() => setTimeout(() => done(sincePress()))))
      if (!row()?.querySelector('bdi')?.textContent) return
      changes.disconnect()
      requestAnimationFrame(() => setTimeout(async () => resolve({ rowMs: await rowMs, previewMs: sincePress() })))
    })
    changes.observe(document.body, { subtree: true, childList: true, characterData: true })
  }))`)
  await page.keyboard.type(filter.slice(-1))
  return page.evaluate('drawn')
}
