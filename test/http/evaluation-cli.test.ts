import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { newProject, type TestProject } from '../harness.ts'
import { slugOf } from '../registry-client.ts'

const { apiUrl, servicesUrl } = inject('target')
const CLI = join(import.meta.dirname, '../../packages/cli/spanhouse.ts')

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

const spanhouse = (...args: string[]) => commandAt(apiUrl, args)
/** What runs something is asked of the services, which may be a process of their own. */
const services = (...args: string[]) => commandAt(servicesUrl.slice(0, -'/services'.length), args)

async function commandAt(url: string, args: readonly string[]) {
  const env = { ...process.env, SPANHOUSE_URL: url, SPANHOUSE_API_KEY: project.apiKey }
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = new Promise<number | null>(resolve => child.once('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await closed, out, err }
}

const made = async (kind: string, data: object): Promise<string> => {
  const slug = slugOf(kind)
  const answer = await project.post(`/api/simple/${kind}s/`, { [kind]: { slug, name: kind, data } })
  expect(answer.body.count, answer.text).toBe(1)
  return slug
}
const mock = (key: string, kwargs: object = {}) => ({ uri: 'agenta:custom:mock:v0', parameters: { key, kwargs } })

describe('spanhouse evaluate', () => {
  let testset: string
  let paris: string
  let exact: string
  beforeAll(async () => {
    const testcases = ['Paris', 'Rome', 'Paris', 'Paris'].map(correct_answer => ({
      data: { country: 'c', correct_answer },
    }))
    testset = await made('testset', { testcases })
    paris = await made('application', mock('static', { output: 'Paris' }))
    exact = await made('evaluator', {
      uri: 'agenta:builtin:auto_exact_match:v0',
      parameters: { correct_answer_key: 'correct_answer' },
      schemas: { outputs: { type: 'object', properties: { success: { type: 'boolean' } } } },
    })
  })

  test('a new run: progress, scores, JUnit XML, thresholds; then the same run again', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'spanhouse-cli-')), 'results.xml')
    const steps = ['--testset', testset, '--application', paris, '--evaluator', exact]
    const first = await spanhouse('evaluate', ...steps, '--json', '--junit', file, '--fail-under', 'success=0.7')
    expect(first.code, first.err).toBe(0)
    const result = JSON.parse(first.out)
    expect(result).toMatchObject({
      status: 'success',
      scenarios: { total: 4, by_status: { success: 4 } },
      scores: [{ key: 'success', value: 0.75, count: 4 }],
      failures: [],
    })
    expect(first.err).toMatch(/of 4 scenarios/)
    const xml = await readFile(file, 'utf8')
    expect([xml.match(/<testcase /g)?.length, xml.match(/<failure /g)?.length]).toEqual([4, 1])
    expect(xml).toContain('success is false')
    const again = await spanhouse('evaluate', result.run_id, '--fail-under', 'success=0.8', '--fail-under', 'other=1')
    expect([again.code, again.out]).toEqual([1, expect.stringContaining('success: 0.75 (4)')])
    expect(again.err).toContain('success: 0.75 is below 0.8')
    expect(again.err).toContain('other: the run has no such score')
    const compared = await spanhouse('evaluate', result.run_id, '--fail-on-regression', result.run_id)
    expect([compared.code, compared.err]).toEqual([0, expect.not.stringContaining('worse')])
  })

  test('a regression fails the build, the opposite does not', async () => {
    const testcases = Array.from({ length: 12 }, () => ({ data: { country: 'France', correct_answer: 'Paris' } }))
    const capitals = await made('testset', { testcases })
    // Slower, too: what is better must be better in every score.
    const then = { key: 'static', kwargs: { output: 'Rome' } }
    const rome = await made('application', mock('delay', { seconds: 0.3, then }))
    const run = async (application: string): Promise<string> => {
      const steps = ['--testset', capitals, '--application', application, '--evaluator', exact]
      const { code, out, err } = await spanhouse('evaluate', ...steps, '--json')
      expect(code, err).toBe(0)
      return JSON.parse(out).run_id
    }
    const [good, bad] = [await run(paris), await run(rome)]
    const worse = await spanhouse('evaluate', bad, '--fail-on-regression', good)
    expect(worse.code, worse.err).toBe(1)
    expect(worse.err).toMatch(/success: worse: .*compared with/)
    const better = await spanhouse('evaluate', good, '--fail-on-regression', bad)
    expect([better.code, better.err]).toEqual([0, expect.not.stringContaining('worse')])
  })

  test('what cannot be done says why', async () => {
    const unknown = await spanhouse('evaluate', '--testset', 'nothing-here', '--evaluator', exact)
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('nothing-here')])
    for (const [args, message] of [
      [['evaluate'], '--testset or --query'],
      [['run', 'slug:latest'], "'slug:latest' is not a valid reference"],
      [['evaluate', '--testset', testset], '--evaluator is missing'],
      [['evaluate', '--testset', testset, '--evaluator', `${exact}=robot`], 'the origin must be one of'],
      [['evaluate', '--testset', testset, '--evaluator', exact, '--fail-under', 'success'], 'not KEY=VALUE'],
      [['evaluate', '--testset', testset, '--evaluator', exact, '--repeats', 'two'], '--repeats two'],
      [['evaluate', '--testset', testset, '--evaluator', exact, '--junit', '/no/such/folder/x'], '--junit: ENOENT'],
      [['evaluate', randomUUID(), '--repeats', '2'], 'or options for a new one: --repeats'],
      [['evaluate', '--testset', testset, '--evaluator', exact, '--fail-on-regression', randomUUID()], 'no such run'],
      [['run', 'one', 'two'], 'two: run takes no more arguments'],
      [['dead-letters', 'show'], 'The id of the dead letter is missing'],
      [['dead-letters', 'lost'], 'There is no command dead-letters lost'],
      [['cluster', 'partitions', 'many'], 'cluster partitions many: not a number of partitions'],
      // An option of another command would be without effect.
      [['evaluate-one', exact, '--outputs', '4', '--fail-under', 'success=1'], "Unknown option '--fail-under'"],
      [['dead-letters', 'replay', 'all', '--limit', '1'], "Unknown option '--limit'"],
    ] as const) {
      const { code, err } = await spanhouse(...args)
      expect([code, err]).toEqual([2, expect.stringContaining(message)])
    }
    // As `| head` does.
    const unread = spawn(process.execPath, [CLI, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    unread.stdout.destroy()
    expect(await text(unread.stderr)).toBe('')
    const help = await spanhouse('evaluate', '--help')
    expect([help.code, help.out]).toEqual([0, expect.stringContaining('--fail-on-regression RUN')])
  })
})

test('numbers of any length are sent and shown as they are written', async () => {
  const [long, next] = ['12345678901234567890', '12345678901234567891']
  const echo = await made('application', mock('echo'))
  const ran = await services('run', echo, '--input', `order=${long}`)
  expect([ran.code, ran.out]).toEqual([0, `{\n  "order": ${long}\n}\n`])
  const whole = await services('run', echo, '--input', `order=${long}`, '--json')
  expect(whole.out).toContain(`"outputs":{"order":${long}}`)
  const judged = await services('evaluate-one', 'exact-match', '--outputs', long, '--input', `correct_answer=${next}`)
  expect([judged.code, JSON.parse(judged.out)]).toEqual([0, { success: false }])
  const huge = await services('run', echo, '--input', 'order=1e999')
  expect([huge.code, huge.err]).toEqual([1, expect.stringContaining('data.inputs.order')])
})
