import { writeFile } from 'node:fs/promises'
import { readOptions } from '../../read-options.ts'
import { chaos, SETS } from './chaos.ts'
import { chaosEvaluations } from './evaluations.ts'
import { chaosWebhooks } from './webhooks.ts'

const USAGE = `Usage: npm run chaos -- [--set embedded|networked|cluster] [--seconds N] [--seed S] [--out FILE]
  --evaluations [--scenarios N] [--kills N]   an evaluation in place of a load of traces
  --webhooks [--kills N]                      deliveries
It ends with 1 when it finds a fault.`

const { values } = readOptions(USAGE, {
  set: { type: 'string', default: 'networked' },
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
  out: { type: 'string' },
  evaluations: { type: 'boolean', default: false },
  webhooks: { type: 'boolean', default: false },
  scenarios: { type: 'string', default: '2000' },
  kills: { type: 'string', default: '50' },
})
const started = performance.now()
if (!(values.set in SETS)) throw new Error(`--set is one of ${Object.keys(SETS).join(', ')}`)
const set = values.set as keyof typeof SETS
const common = {
  seed: Number(values.seed),
  tell: (event: string) =>
    process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${event}\n`),
} as const
const kills = Number(values.kills)
const result = values.evaluations
  ? await chaosEvaluations({
      ...common,
      set: set === 'embedded' ? set : 'networked',
      scenarios: Number(values.scenarios),
      kills,
    })
  : values.webhooks
    ? await chaosWebhooks({ tell: common.tell, kills })
    : await chaos({ ...common, set, seconds: Number(values.seconds) })
const text = `${JSON.stringify({ chaos: values.set, at: new Date().toISOString(), ...result }, null, 2)}\n`
process.stdout.write(text)
if (values.out) await writeFile(values.out, text)
process.exit(result.faults.length === 0 ? 0 : 1)
