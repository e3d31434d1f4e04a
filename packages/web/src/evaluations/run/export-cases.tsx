import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { type CaseCell, type CaseRow, type CasesAsked, type Run, readCases } from '../../api/evaluations.ts'
import { slugOf } from '../../api/registry/registry.ts'
import { wholeParts } from '../../api/whole-parts.ts'
import { CSV_START, csvLine } from '../../format/csv.ts'
import { formatCount } from '../../format/format.ts'
import { Button, Failure } from '../../parts/controls.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { atRepeat, modelOf, type ScoreColumn, stepsOf } from '../table/case-model.ts'

interface ExportCasesProps {
  run: Run
  columns: readonly ScoreColumn[]
  asked: CasesAsked
  expectedKeys: readonly string[]
}

/** The server reads as many cases at a time. */
const PAGE = 200
/** Texts that the table has cut off are read so many at a time. */
const AT_ONCE = 4

/** Saves the cases of the table as a CSV file, all of them and with their whole texts. A second press ends that. */
export function ExportCases(props: ExportCasesProps): ReactNode {
  const [progress, setProgress] = useState('')
  const [reading, setReading] = useState<AbortController>()
  useEffect(() => () => reading?.abort(), [reading])
  const save = useMutation({
    mutationFn: (signal: AbortSignal) => linesOfAll(props, setProgress, signal),
    onSuccess: lines => saveFile(new Blob(lines, { type: 'text/csv' }), `${nameOf(props.run)}.csv`),
  })
  const press = (): void => {
    if (save.isPending) {
      reading?.abort()
      return
    }
    const next = new AbortController()
    setReading(next)
    setProgress('')
    save.mutate(next.signal)
  }
  return (
    <>
      <Button onClick={press} title={save.isPending ? 'Press again to end it.' : 'All cases of the table, as CSV.'}>
        {save.isPending ? `Exporting ${progress}…` : 'Export CSV'}
      </Button>
      {save.error && save.error.name !== 'AbortError' && (
        <Failure what="The cases were not exported." error={save.error} />
      )}
    </>
  )
}

const nameOf = ({ name, id }: Run): string => slugOf(name ?? `run ${id.slice(-6)}`)

/** The lines of the file, read page by page. */
async function linesOfAll(
  { run, columns, asked, expectedKeys }: ExportCasesProps,
  onProgress: (progress: string) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const lines = [CSV_START, csvLine([...HEAD, ...columns.map(({ title }) => title), ...TAIL])]
  const seen = new Set<string>()
  for (let [offset, total] = [0, 1]; offset < total; offset += PAGE) {
    const page = await readCases(run.id, { ...asked, offset, limit: PAGE }, signal)
    total = page.total
    // Cases that come meanwhile may move others to the next page.
    const rows = page.cases.filter(({ scenario_id }) => seen.size < seen.add(scenario_id).size)
    for (const row of await wholeRows(run, rows, signal)) lines.push(...linesOf({ run, columns, expectedKeys }, row))
    onProgress(`${formatCount(seen.size)} of ${formatCount(total)} `)
  }
  return lines
}

const HEAD = ['case', 'repeat', 'status', 'input', 'expected', 'output', 'error']
const TAIL = ['duration_ms', 'cost_usd', 'trace_id', 'testcase_id']

type Exported = Pick<ExportCasesProps, 'run' | 'columns' | 'expectedKeys'>

/** A line for each repeat of a case. */
function linesOf({ run, columns, expectedKeys }: Exported, row: CaseRow): string[] {
  const repeats = new Set(row.cells.map(({ repeat_idx }) => repeat_idx))
  return [...(repeats.size > 0 ? repeats : [0])].map(repeat => {
    const one = atRepeat(row, repeat)
    const { input, expected, output, error, subject } = modelOf(run, one, expectedKeys)
    const scores = columns.map(
      ({ step_key, name }) => one.cells.find(cell => cell.step_key === step_key)?.scores?.[name],
    )
    const { duration, costs, trace_id } = subject ?? {}
    const head = [row.scenario_id, repeat + 1, row.status, input, expected, output, error]
    return csvLine([...head, ...scores, duration, costs, trace_id, row.testcase_id])
  })
}

/** Cases with the whole inputs and outputs that are cut off in the table, other than those of evaluators. */
async function wholeRows(run: Run, rows: readonly CaseRow[], signal: AbortSignal): Promise<CaseRow[]> {
  const evaluators = new Set(stepsOf(run).flatMap(({ key, type }) => (type === 'annotation' ? key : [])))
  const isCut = ({ step_key, inputs_cut, outputs_cut }: CaseCell): boolean =>
    (inputs_cut === true || outputs_cut === true) && !evaluators.has(step_key)
  const whole = new Map<CaseCell, CaseCell>()
  const cut = rows.flatMap(({ cells }) => cells.filter(isCut)).values()
  const read = async (): Promise<void> => {
    for (const cell of cut) {
      const { trace_id = '', span_id = '' } = cell
      const { inputs = cell.inputs, outputs = cell.outputs } = await wholeParts({ trace_id, span_id }, signal)
      whole.set(cell, { ...cell, inputs, outputs } as CaseCell)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, read))
  return rows.map(row => ({ ...row, cells: row.cells.map(cell => whole.get(cell) ?? cell) }))
}
