import { type Means, misfit, type RunContext, RunError } from '@spanhouse/runtime'
import { RUNTIMES, type Runtime, type Sandbox } from '@spanhouse/sandbox'
import type { CodeRuntimes } from '../code-runtimes.ts'

const CODE_ERROR = 'v0:workflows:code-error'

/**
 * Runs a caller's code in the sandbox; see `Means.evaluate`. The span records the result but not the arguments, which
 * are on the run's root span.
 */
export async function evaluateCode(
  { sandbox, codeRuntimes }: { sandbox: Sandbox; codeRuntimes: CodeRuntimes },
  { owner, context }: { owner: string; context: RunContext },
  { runtime, source, arguments: values }: Parameters<Means['evaluate']>[0],
): ReturnType<Means['evaluate']> {
  if (!isRuntime(runtime)) throw misfit('parameter', 'runtime', `one of ${RUNTIMES.join(', ')}`, runtime)
  codeRuntimes.note(runtime)
  const start = { name: 'code.evaluate', type: 'task', kind: 'SPAN_KIND_INTERNAL', parameters: { runtime } } as const
  return context.trace.during(start, async notes => {
    const onWait = (atOnceMax: number): void =>
      context.wait(
        `Its code was still waiting for a ${runtime} interpreter, which runs code of a project ${atOnceMax} at a time: run fewer at once, or try again later.`,
      )
    const onStart = (): void => context.wait(undefined)
    const { signal } = context
    const outcome = await sandbox.run({ owner, runtime, source, arguments: [...values], signal, onWait, onStart })
    if (!outcome.ok) {
      const { message, line } = outcome
      throw new RunError(400, CODE_ERROR, line === undefined ? message : `${message} (line ${line})`)
    }
    notes.outputs = outcome.value
    return outcome.value
  })
}

const isRuntime = (text: string): text is Runtime => (RUNTIMES as readonly string[]).includes(text)
