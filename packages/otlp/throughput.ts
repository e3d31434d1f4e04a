import { decodeTraces } from './bytes/decode.ts'
import { scanTraces } from './bytes/scan.ts'
import { toSpan } from './canonical/normalise.ts'
import { llmExport } from './llm-export.testing.ts'

/**
 * Measures the processing of a span on one core: `npx node packages/otlp/throughput.ts`. Prints one JSON line per step,
 * the median of nine rounds of about a quarter of a second each.
 */

const SPANS = 512
const ROUNDS = 9
const ROUND_MS = 250
const bytes = llmExport(SPANS)
const lastByte = (traceId: Uint8Array, partitions: number): number => (traceId[15] as number) % partitions

const STEPS: Record<string, () => void> = {
  'scan, 1 partition': () => scanTraces(bytes, 1, lastByte),
  'scan, 16 partitions': () => scanTraces(bytes, 16, lastByte),
  decode: () => {
    for (const _ of decodeTraces(bytes));
  },
  'decode and toSpan': () => {
    for (const decoded of decodeTraces(bytes)) toSpan(decoded, 0)
  },
}

function spansPerSecond(step: () => void): number {
  const started = performance.now()
  let count = 0
  for (; performance.now() - started < ROUND_MS; count += SPANS) step()
  return (count / (performance.now() - started)) * 1000
}

for (const [step, run] of Object.entries(STEPS)) {
  const rates = Array.from({ length: ROUNDS }, () => spansPerSecond(run)).sort((one, other) => one - other)
  const median = Math.round(rates[Math.floor(ROUNDS / 2)] as number)
  console.log(JSON.stringify({ step, spans_per_second: median, bytes_per_span: Math.round(bytes.length / SPANS) }))
}
