// A process that runs code for ever, for a test that kills it. Says its children's ids when they are ready.
import { openSandbox } from './index.ts'

const sandbox = openSandbox()
const run = (runtime: 'javascript' | 'python', source: string): Promise<unknown> =>
  sandbox.run({ owner: 'one', runtime, source, arguments: [] })
await Promise.all([run('javascript', 'const evaluate = () => 1'), run('python', 'def evaluate():\n    return 1')])
process.stdout.write(`${JSON.stringify(sandbox.pids())}\n`)
await Promise.allSettled([
  run('javascript', 'const evaluate = () => { for (;;) {} }'),
  run('python', 'def evaluate():\n    while True: pass'),
])
