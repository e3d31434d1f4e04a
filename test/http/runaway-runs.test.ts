import { expect, test } from 'vitest'
import { newProject } from '../harness.ts'

/** Runs that would use up all memory or time. Only the run itself fails, and other callers are served meanwhile. */
const project = await newProject()
const neighbour = await newProject()

const code = (runtime: string, source: string): [path: string, data: object] => [
  '/auto_custom_code_run/v0/invoke',
  { parameters: { runtime, version: '3', code: source }, inputs: { correct_answer: 'x' }, outputs: 'x' },
]
const jinja = (content: string): [path: string, data: object] => [
  '/completion/v0/invoke?mock=hello',
  {
    parameters: {
      prompt: {
        messages: [{ role: 'user', content }],
        template_format: 'jinja2',
        llm_config: { model: 'gpt-4o-mini' },
      },
    },
  },
]

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

test.each<[string, [string, object], RegExp]>([
  [
    '4 GB in Python',
    code('python', 'def evaluate(a, b, c):\n    return len([bytearray(2 ** 28) for _ in range(16)])'),
    /Memory/i,
  ],
  [
    '4 GB in JavaScript',
    code('javascript', 'const evaluate = () => { const all = []; for (;;) all.push(new Uint8Array(2 ** 24).fill(1)) }'),
    /memory/,
  ],
  [
    'a loop without an end',
    code('python', 'def evaluate(a, b, c):\n    while True: pass'),
    /processor time|ran for more/,
  ],
  ['32 MB of output', code('javascript', 'const evaluate = () => "x".repeat(2 ** 25)'), /more than \d+ bytes/],
  [
    'an exploding regular expression',
    [
      '/auto_regex_test/v0/invoke',
      { parameters: { regex_pattern: '^(a+)+$' }, inputs: {}, outputs: `${'a'.repeat(50_000)}!` },
    ],
    /regular expression cannot be used/,
  ],
  [
    'loops inside loops of a template',
    jinja(
      '{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}x{% endfor %}{% endfor %}{% endfor %}',
    ),
    /cannot be rendered|Prompt formatting error/,
  ],
  ['a template of a gigabyte', jinja('{{ "x" * 1000000000 }}'), /cannot be rendered|Prompt formatting error/],
  [
    'a path that selects everything again and again',
    [
      '/json_multi_field_match/v0/invoke',
      { parameters: { fields: [`$${'..*'.repeat(8)}`] }, inputs: { correct_answer: nested(80) }, outputs: nested(80) },
    ],
    /Invalid parameter at 'fields/,
  ],
])('%s', async (_name, [path, data], message) => {
  let isOver = false
  const running = project.run(path, { data }).finally(() => {
    isOver = true
  })
  while (!isOver) {
    const answer = await neighbour.run('/echo/v0/invoke', { data: { inputs: { aloha: 'hi' } } })
    expect([answer.status, answer.body.data?.outputs]).toEqual([200, { got: 'hi' }])
  }
  const { status, body, text } = await running
  expect(status, text).toBe(400)
  expect(body.status.message).toMatch(message)
})
