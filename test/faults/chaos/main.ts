import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { chaos } from './chaos.ts'

/** `npm run chaos -- [--set embedded|networked] [--seconds N] [--seed S] [--out FILE]`; ends with 1 when it finds a fault. */
const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'networked' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
})
const started = performance.now()
const result = await chaos({
  set: values.set === 'embedded' ? 'embedded' : 'networked',
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  tell: event => process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${event}\n`),
})
const text = `${JSON.stringify({ chaos: values.set, at: new Date().toISOString(), ...result }, null, 2)}\n`
process.stdout.write(text)
if (values.out) await writeFile(values.out, text)
process.exit(result.faults.length === 0 ? 0 : 1)
