import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Workflow, workflowsQuery } from '../../api/registry/registry.ts'
import { evaluateTraces } from '../../api/selected-traces.ts'
import { formatNumberOf } from '../../format/format.ts'
import { Failure, TextField } from '../../parts/controls.tsx'
import { FormModal } from '../../parts/modal.tsx'
import { EvaluatorChecks } from '../../registry/evaluator-checks.tsx'
import styles from './selection.module.css'

interface EvaluateTracesProps {
  traceIds: readonly string[]
  onClose: () => void
  onStarted: (run_id: string) => void
}

/** Evaluators that run by themselves; people answer for the others. */
const runs = ({ data, revision_id }: Workflow): boolean =>
  revision_id !== undefined && data?.uri !== undefined && !data.uri.includes(':feedback:')

/** Starts an evaluation of traces as they are. */
export function EvaluateTraces({ traceIds, onClose, onStarted }: EvaluateTracesProps): ReactNode {
  const { data, error } = useQuery(workflowsQuery('evaluator'))
  const queryClient = useQueryClient()
  const evaluators = data?.filter(runs) ?? []
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [name, setName] = useState(formatNumberOf(traceIds.length, 'trace'))
  const picked = evaluators.filter(({ id }) => chosen.has(id))
  const start = useMutation({
    mutationFn: () => evaluateTraces({ name: name.trim(), trace_ids: traceIds, evaluators: picked }),
    onSuccess: async run_id => {
      await Promise.all(['runs', 'saved queries'].map(name => queryClient.invalidateQueries({ queryKey: [name] })))
      onStarted(run_id)
    },
  })
  const isReady = picked.length > 0 && name.trim() !== ''
  const failure = error ?? start.error
  return (
    <FormModal
      title={`Evaluate ${formatNumberOf(traceIds.length, 'trace')}`}
      onClose={onClose}
      onSubmit={() => isReady && start.mutate()}
      submit="Start"
      isOff={!isReady || start.isPending}
    >
      <TextField className={styles.field} label="Name" value={name} onChange={setName} />
      <fieldset className={styles.choices}>
        <legend>Evaluators</legend>
        <EvaluatorChecks
          evaluators={evaluators}
          isChosen={id => chosen.has(id)}
          onToggle={id => setChosen(chosen.symmetricDifference(new Set([id])))}
        />
        {data && evaluators.length === 0 && <p>The project has no evaluator that runs automatically.</p>}
      </fieldset>
      {failure && <Failure what="The evaluation was not started." error={failure} />}
    </FormModal>
  )
}
