import { setTimeout as delay } from 'node:timers/promises'
import { type Browser, chromium, type Page, type Request } from 'playwright-core'
import { withMonth } from '../reads/reads.ts'
import { CUSTOMERS, MONTH, ROUTES, SPANS_PER_TRACE, sessionOf, USERS } from '../reads/traces.ts'

const RUNS = 40
/**
 * Filters by other users before any is measured: until then the server starts, and neither its code nor the page's is
 * compiled.
 */
const WARM_UP_RUNS = 10

const byUser = (run: number): string => `user:user-${(run * 131) % USERS}`

/** Filters of the list, with other values in each run: rows that were read once are in the page's memory. */
const FILTERS: Record<string, (run: number, traces: number) => string> = {
  user: byUser,
  session: (run, traces) => `session:${sessionOf(Math.floor((traces * run) / RUNS))}`,
  status: run => `tokens>${run} ${run % 2 ? 'status:error' : 'status:ok'}`,
  // No root is a chain.
  type: run => `tokens>${run} ${run % 2 ? 'type:workflow' : 'type:chain'}`,
  tokens: run => `tokens>${7_900 + run}`,
  customer: run => `customer:customer-${(run * 7) % CUSTOMERS}`,
  route: run => `http.route:/v1/items/${(run * 17) % ROUTES}`,
}

/**
 * From the last key of a filter until its first row is drawn, and until that row also shows what it says, in a list of
 * a month of this number of spans.
 */
export async function benchWebList({ spans }: { spans: number }): Promise<object> {
  return withMonth(spans, async server => {
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox'],
    })
    try {
      const address = `${server.url}/w/traces?from=${MONTH.oldest}&to=${MONTH.newest}#key=${server.apiKey}`
      const list = await openList(browser, address)
      const found: Record<string, object> = {}
      for (let run = RUNS; run < RUNS + WARM_UP_RUNS; run++) await keyToRows(list, byUser(run))
      for (const [name, filter] of Object.entries(FILTERS)) {
        const runs: Drawn[] = []
        for (let run = 0; run < RUNS; run++) runs.push(await keyToRows(list, filter(run, spans / SPANS_PER_TRACE)))
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

interface List {
  page: Page
  /** Those without an answer. */
  requests: ReadonlySet<Request>
}

async function openList(browser: Browser, address: string): Promise<List> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const requests = requestsOf(page)
  await page.goto(address)
  await page.locator('[data-row="0"]').waitFor()
  return { page, requests }
}

/**
 * Milliseconds from the key until the first row was drawn with its name, time and totals, and then with its preview.
 */
interface Drawn {
  rowMs: number
  previewMs: number
}

/** So long nothing is asked when all is here. */
const QUIET_MS = 300
const PAUSE_MS = 20

/** The requests of a page that have no answer yet. Its own `networkidle` is known of its load alone. */
function requestsOf(page: Page): ReadonlySet<Request> {
  const open = new Set<Request>()
  const end = (request: Request): void => void open.delete(request)
  page.on('request', request => open.add(request))
  page.on('requestfinished', end).on('requestfailed', end)
  return open
}

/** The whole line is typed but for its last character, whose key counts once everything else is here. */
async function keyToRows({ page, requests }: List, filter: string): Promise<Drawn> {
  await page.getByRole('combobox', { name: 'Filter' }).fill(filter.slice(0, -1))
  for (let quietMs = 0; quietMs < QUIET_MS; quietMs = requests.size > 0 ? 0 : quietMs + PAUSE_MS) await delay(PAUSE_MS)
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
      if (row()?.querySelector('bdi')?.textContent === '') return
      changes.disconnect()
      requestAnimationFrame(() => setTimeout(async () => resolve({ rowMs: await rowMs, previewMs: sincePress() })))
    })
    changes.observe(document.body, { subtree: true, childList: true, characterData: true })
  }))`)
  await page.keyboard.type(filter.slice(-1))
  return page.evaluate('drawn')
}
