import type { ReactNode } from 'react'
import { type CaseCell, type CaseRow, type CasesAsked, type Run, readCases, readScores } from '../../api/evaluations.ts'
import { untilPassed } from '../../api/query-client.ts'
import { slugOf } from '../../api/registry/registry.ts'
import { wholeParts } from '../../api/whole-parts.ts'
import { CSV_START, csvLine } from '../../format/csv.ts'
import { formatCount } from '../../format/format.ts'
import { ExportButton, type Exporting } from '../../parts/export/export-button.tsx'
import { atRepeat, columnsOf, modelOf, type ScoreColumn, stepsOf } from '../table/case-model.ts'

interface ExportCasesProps {
  run: Run
  asked: CasesAsked
  expectedKeys: readonly string[]
}

/** The server reads as many cases at a time. */
const PAGE = 200
/** Texts that the table has cut off are read so many at a time, of as many cases. */
const AT_ONCE = 4

/** Saves the cases of the table as a CSV file, all of them and with their whole texts. */
export const ExportCases = (props: ExportCasesProps): ReactNode => (
  <ExportButton
    label="Export CSV"
    title="All cases of the table, as CSV."
    name={`${nameOf(props.run)}.csv`}
    type="text/csv"
    write={exporting => writeAll(props, exporting)}
    failure="The cases were not exported."
  />
)

const nameOf = ({ name, id }: Run): string => slugOf(name ?? `run ${id.slice(-6)}`)

/** Writes the lines of the file, which are read page by page, and of long texts a few cases at a time. */
async function writeAll(
  { run, asked, expectedKeys }: ExportCasesProps,
  { file, signal, tell }: Exporting,
): Promise<void> {
  // The page may not have them yet.
  const scores = await untilPassed(() => readScores(run.id, signal), signal)
  const columns = columnsOf(run, scores?.scores ?? [])
  file.add(CSV_START + csvLine([...HEAD, ...columns.map(({ title }) => title), ...TAIL]))
  const seen = new Set<string>()
  for (let [offset, total] = [0, 1]; offset < total; offset += PAGE) {
    const page = await untilPassed(() => readCases(run.id, { ...asked, offset, limit: PAGE }, signal), signal)
    total = page.total
    // Cases that come meanwhile may move others to the next page.
    const rows = page.cases.filter(({ scenario_id }) => seen.size < seen.add(scenario_id).size)
    for (let from = 0; from < rows.length; from += AT_ONCE)
      for (const row of await wholeRows(run, rows.slice(from, from + AT_ONCE), signal))
        for (const line of linesOf({ run, columns, expectedKeys }, row)) file.add(line)
    tell(`${formatCount(seen.size)} of ${formatCount(total)}`)
  }
}

const HEAD = ['case', 'repeat', 'status', 'input', 'expected', 'output', 'error']
const TAIL = ['duration_ms', 'cost_usd', 'trace_id', 'testcase_id']

type Exported = Pick<ExportCasesProps, 'run' | 'expectedKeys'> & { columns: readonly ScoreColumn[] }

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
      const { inputs = cell.inputs, outputs = cell.outputs } = await untilPassed(
        () => wholeParts({ trace_id, span_id }, signal),
        signal,
      )
      whole.set(cell, { ...cell, inputs, outputs } as CaseCell)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, read))
  return rows.map(row => ({ ...row, cells: row.cells.map(cell => whole.get(cell) ?? cell) }))
}
