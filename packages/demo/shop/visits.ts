import { complaint, searchRequest } from './other-applications.ts'
import { Random } from './random.ts'
import type { Visit } from './step.ts'
import { supportTurn } from './support.ts'

const HOUR = 3_600_000
const DAYS = 7
/** Two days ago the payment service was down for two hours. */
const OUTAGE = { fromAgo: 50 * HOUR, toAgo: 48 * HOUR }

const USERS = [
  'ada',
  'ben',
  'chloe',
  'dmitri',
  'elif',
  'farah',
  'grace',
  'hugo',
  'ines',
  'jonas',
  'kofi',
  'lena',
  'mei',
  'noor',
  'omar',
  'paula',
]

/** A week of the shop up to `now`: sessions with the assistant, searches and complaints, in the order of time. */
export function weekOfVisits(now: number): Visit[] {
  const random = new Random(20_261_122)
  const visits: Visit[] = []
  for (let hour = 0; hour < DAYS * 24; hour++) {
    const began = now - (DAYS * 24 - hour) * HOUR
    const busy = busyness(began)
    for (let n = random.whole(0, Math.round(3 * busy)); n > 0; n--)
      visits.push(...session(random, began + random.share() * HOUR, now))
    for (let n = random.whole(1, Math.round(1 + 5 * busy)); n > 0; n--)
      visits.push({
        ...visitor(random),
        service: 'product-search',
        at: began + random.share() * HOUR,
        step: searchRequest(random),
      })
    if (random.happens(0.7 * busy))
      visits.push({
        ...visitor(random),
        service: 'complaints',
        at: began + random.share() * HOUR,
        step: complaint(random),
      })
  }
  return visits.filter(({ at }) => at < now - 5_000).toSorted((one, other) => one.at - other.at)
}

/** From 0.2 at night to 1 in the evening (UTC). */
const busyness = (at: number): number => 0.6 - 0.4 * Math.cos(((new Date(at).getUTCHours() - 7) / 24) * 2 * Math.PI)

const visitor = (random: Random): Pick<Visit, 'user' | 'environment'> => ({
  user: random.pick(USERS),
  environment: random.happens(0.85) ? 'production' : 'staging',
})

/** A conversation of one to seven turns, with pauses for reading and typing. */
function session(random: Random, began: number, now: number): Visit[] {
  const { user, environment } = visitor(random)
  const id = `${user}-${began.toString(36).slice(-6)}`
  const model = random.happens(0.7) ? 'gpt-4o-mini' : 'gpt-4o'
  const visits: Visit[] = []
  let history: { role: string; content: string }[] = []
  for (let [turn, at] = [random.whole(1, 7), began]; turn > 0; turn--) {
    const ago = now - at
    const isOutage = ago < OUTAGE.fromAgo && ago > OUTAGE.toAgo
    const { step, said } = supportTurn({ random, history, isOutage, model })
    visits.push({ service: 'shop-assistant', environment, user, session: id, at, step })
    history = [...history, ...said]
    at += 15_000 + random.skewed(45_000)
  }
  return visits
}
