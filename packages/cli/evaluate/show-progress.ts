import { clearLine, cursorTo } from 'node:readline'
import type { RunProgress } from '@spanhouse/client'

const BAR_WIDTH = 30
/** Without a terminal: how often a line is printed. */
const LINE_EVERY_MS = 5_000

/** Shows how far a run is: a bar on a terminal, otherwise a line now and then. */
export function openProgress(stream: NodeJS.WriteStream): { show(progress: RunProgress): void; close(): void } {
  let printedAt = Number.NEGATIVE_INFINITY
  let last: string | undefined
  return {
    show: progress => {
      const text = textOf(progress)
      if (stream.isTTY) {
        cursorTo(stream, 0)
        stream.write(`${barOf(progress)} ${text}`)
        clearLine(stream, 1)
      } else if (text !== last && performance.now() - printedAt >= LINE_EVERY_MS) {
        stream.write(`${text}\n`)
        printedAt = performance.now()
      }
      last = text
    },
    close: () => {
      if (stream.isTTY) stream.write('\n')
    },
  }
}

/** Scenarios of which nothing more is going to happen by itself. */
const doneOf = ({ scenarios: { total, by_status } }: RunProgress): number =>
  total - (by_status.running ?? 0) - (by_status.queued ?? 0) - (by_status.pending ?? 0)

function textOf(progress: RunProgress): string {
  const { status, scenarios, costs } = progress
  const failed = scenarios.by_status.errors ?? 0
  return [
    `${status}: ${doneOf(progress)} of ${scenarios.total} scenarios`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(costs === undefined ? [] : [`${costs.toFixed(4)} USD`]),
  ].join(', ')
}

function barOf(progress: RunProgress): string {
  const { total } = progress.scenarios
  const filled = total === 0 ? 0 : Math.floor((BAR_WIDTH * doneOf(progress)) / total)
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`
}
