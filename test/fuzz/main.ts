import { writeFile } from 'node:fs/promises'
import { readOptions } from '../read-options.ts'
import { fuzz } from './fuzz.ts'
import { reportOf } from './report.ts'
import type { TargetChoice } from './target.ts'

const USAGE = `Usage: npm run fuzz -- [--seconds N] [--seed S] [--only K,…] [--set embedded|networked | --url URL]
  [--rate N] [--json FILE]
It ends with 1 when it finds something.`

const { values } = readOptions(USAGE, {
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string' },
  set: { type: 'string', default: 'embedded' },
  url: { type: 'string' },
  rate: { type: 'string' },
  json: { type: 'string' },
})

function targetOf(): TargetChoice {
  if (values.url === undefined) return { set: values.set === 'networked' ? 'networked' : 'embedded' }
  const adminKey = process.env.SPANHOUSE_ADMIN_KEY
  if (!adminKey) throw new Error('--url needs the administrator’s key in SPANHOUSE_ADMIN_KEY')
  return { url: values.url, adminKey }
}

const ended = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ended.abort())
const result = await fuzz({
  target: targetOf(),
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  only: values.only?.split(',').map(Number),
  ...(values.rate && { rate: Number(values.rate) }),
  ended: ended.signal,
  tell: line => process.stderr.write(`${line}\n`),
})
process.stdout.write(reportOf(result))
if (values.json)
  await writeFile(
    values.json,
    `${JSON.stringify({ at: new Date().toISOString(), ...result, findings: result.findings.map(({ suspects, ...finding }) => finding) }, null, 2)}\n`,
  )
process.exit(result.findings.length === 0 ? 0 : 1)
