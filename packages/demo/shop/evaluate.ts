import { setTimeout as delay } from 'node:timers/promises'
import { ok, type Place, read } from '../prompt.ts'
import { Random } from './random.ts'

const QUESTIONS = 120
const POLL_MS = 300

/**
 * The rule for refunds as code, which the server runs: its second revision forgets that members have 60 days, which the
 * evaluation of both revisions finds.
 */
const FIRST = `function evaluate(inputs) {
  const days = inputs.member ? 60 : 30
  if (inputs.opened && inputs.category === 'food') return 'no refund'
  return inputs.age_days <= days ? 'full refund' : 'voucher'
}`
const SECOND = `function evaluate(inputs) {
  if (inputs.opened && inputs.category === 'food') return 'no refund'
  return inputs.age_days <= 30 ? 'full refund' : 'voucher'
}`

const CATEGORIES = ['kitchen', 'furniture', 'food', 'textiles']

interface Made {
  id: string
  variant_id: string
  revision_id: string
}

/** Evaluates both revisions with the same testset and evaluator; returns the ids of the runs. */
export async function evaluateRevisions(place: Place): Promise<string[]> {
  const suffix = Date.now().toString(36)
  const make = async (kind: string, name: string, data: object): Promise<Made> => {
    const answer = await ok(place, `/api/simple/${kind}s/`, {
      [kind]: { slug: `${name.toLowerCase().replaceAll(' ', '-')}-${suffix}`, name, data },
    })
    return (answer as unknown as Record<string, Made>)[kind] as Made
  }
  const testset = await make('testset', 'Refund cases', { testcases: cases() })
  const application = await make('application', 'Refund rule', codeOf(FIRST))
  const second = await ok(place, '/api/applications/revisions/commit', {
    application_revision: {
      application_id: application.id,
      application_variant_id: application.variant_id,
      message: 'Simplify the rule',
      data: codeOf(SECOND),
    },
  })
  const evaluator = await make('evaluator', 'Right decision', {
    uri: 'agenta:builtin:auto_exact_match:v0',
    parameters: { correct_answer_key: 'correct_answer' },
  })
  const later = (second as unknown as { application_revision: { id: string } }).application_revision.id
  const runs: string[] = []
  for (const [name, revision] of [
    ['Refund rule, first revision', application.revision_id],
    ['Refund rule, simplified', later],
  ] as const)
    runs.push(await evaluate(place, { name, testset: testset.revision_id, revision, evaluator: evaluator.revision_id }))
  return runs
}

const codeOf = (script: string): object => ({
  uri: 'agenta:custom:code:v0',
  runtime: 'javascript',
  script,
  parameters: { version: '3' },
})

function cases(): object[] {
  const random = new Random(7)
  return Array.from({ length: QUESTIONS }, () => {
    const [age_days, member, opened, category] = [
      random.whole(1, 80),
      random.happens(0.4),
      random.happens(0.5),
      random.pick(CATEGORIES),
    ]
    const isSpoilt = opened && category === 'food'
    const correct_answer = isSpoilt ? 'no refund' : age_days <= (member ? 60 : 30) ? 'full refund' : 'voucher'
    return { data: { age_days, member, opened, category, correct_answer } }
  })
}

interface Asked {
  name: string
  testset: string
  revision: string
  evaluator: string
}

/** Starts an evaluation and waits for its end. */
async function evaluate(place: Place, { name, testset, revision, evaluator }: Asked): Promise<string> {
  const data = {
    testset_steps: { [testset]: 'auto' },
    application_steps: { [revision]: 'auto' },
    evaluator_steps: { [evaluator]: 'auto' },
  }
  const { evaluation } = (await ok(place, '/api/simple/evaluations/', { evaluation: { name, data } })) as unknown as {
    evaluation: { id: string }
  }
  for (;;) {
    const { run } = await read<{ run: { status: string } }>(place, `/api/evaluations/runs/${evaluation.id}`)
    if (run.status !== 'running' && run.status !== 'pending') return evaluation.id
    await delay(POLL_MS)
  }
}
