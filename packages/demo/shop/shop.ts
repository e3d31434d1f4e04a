import { ok, type Place } from '../prompt.ts'
import { evaluateRevisions } from './evaluate.ts'
import { Random } from './random.ts'
import { type Sent, sendVisits } from './send-visits.ts'
import { weekOfVisits } from './visits.ts'

/** Of the turns with the assistant, how many people rate. */
const RATED = 0.08

/**
 * A shop with three applications: a week of traces with sessions, errors and an outage; ratings by people; and an
 * evaluation of two revisions of a rule, of which the second is worse.
 */
export async function runShop(place: Place): Promise<void> {
  const visits = weekOfVisits(Date.now())
  process.stdout.write(`A week of a shop: ${visits.length} traces …\n`)
  const sent = await sendVisits(place, visits)
  process.stdout.write('Ratings …\n')
  await rate(place, sent)
  process.stdout.write('An evaluation of two revisions …\n')
  const [first, second] = await evaluateRevisions(place)
  process.stdout.write(`Done. Open ${place.url}/w/dashboard; the runs are ${first} and ${second}.\n`)
}

async function rate(place: Place, sent: readonly Sent[]): Promise<void> {
  const random = new Random(11)
  for (const { visit, trace_id, span_id } of sent) {
    if (visit.service !== 'shop-assistant' || !random.happens(RATED)) continue
    const hasFailed = visit.step.steps?.some(({ fails }) => fails) ?? false
    const score = hasFailed ? random.whole(0, 1) / 4 : random.whole(2, 4) / 4
    await ok(place, '/api/simple/traces/', {
      trace: {
        origin: 'human',
        kind: 'adhoc',
        channel: 'web',
        data: { outputs: { score, ...(hasFailed && { comment: 'It did not help.' }) } },
        references: { evaluator: { slug: 'helpful' } },
        links: { invocation: { trace_id, span_id } },
      },
    })
  }
}
