import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { workflowsQuery } from '../../api/registry/registry.ts'
import { useRefusal } from '../../api/rights.ts'
import { addToQueue, createTraceQueue, traceQueuesQuery } from '../../api/selected-traces.ts'
import { formatNumberOf, visible } from '../../format/format.ts'
import { Failure, TextField } from '../../parts/controls.tsx'
import { FindSelect } from '../../parts/find-select.tsx'
import { FormModal } from '../../parts/modal.tsx'
import styles from './selection.module.css'

interface AddToQueueProps {
  traceIds: readonly string[]
  onClose: () => void
  onAdded: (queue_id: string) => void
}

const NEW = 'new'

/** What is asked for again. */
const QUEUES = ['trace queues', 'queues', 'queue progress']

/**
 * Puts traces before people: into a queue that there is, or into a new one with an evaluator whose schema they fill in.
 */
export function AddToQueue({ traceIds, onClose, onAdded }: AddToQueueProps): ReactNode {
  const queues = useQuery(traceQueuesQuery)
  const evaluators = useQuery(workflowsQuery('evaluator'))
  const refusal = useRefusal('edit_evaluation_queues')
  const queryClient = useQueryClient()
  const [chosen, setChosen] = useState<string>()
  const [name, setName] = useState('')
  const [judge, setJudge] = useState<string>()
  const queue = chosen ?? queues.data?.[0]?.id ?? NEW
  const evaluator = evaluators.data?.find(({ id }) => id === judge) ?? evaluators.data?.[0]
  const add = useMutation({
    mutationFn: async () => {
      if (queue === NEW && !evaluator) throw new Error('Create an evaluator first.')
      const id = queue === NEW && evaluator ? (await createTraceQueue(name.trim(), evaluator)).id : queue
      await addToQueue(id, traceIds)
      return id
    },
    onSuccess: async id => {
      // A new queue can be chosen the next time.
      await Promise.all(QUEUES.map(name => queryClient.invalidateQueries({ queryKey: [name] })))
      onAdded(id)
    },
  })
  const error = queues.error ?? evaluators.error ?? add.error
  const isReady = queue !== NEW || (name.trim() !== '' && evaluator !== undefined)
  return (
    <FormModal
      title={`Add ${formatNumberOf(traceIds.length, 'trace')} to a queue`}
      onClose={onClose}
      onSubmit={() => isReady && add.mutate()}
      submit="Add"
      isOff={!isReady || add.isPending || refusal !== undefined}
      refusal={refusal}
    >
      <div className={styles.field}>
        Queue
        <FindSelect
          label="Queue"
          value={queue}
          options={[
            ...(queues.data ?? []).map(({ id, name }) => ({ value: id, label: visible(name ?? id) })),
            { value: NEW, label: 'New queue …', isKept: true },
          ]}
          onChange={setChosen}
        />
      </div>
      {queue === NEW && (
        <>
          <TextField className={styles.field} label="Name" value={name} onChange={setName} />
          <div className={styles.field}>
            What people answer
            <FindSelect
              label="What people answer"
              value={evaluator?.id}
              options={(evaluators.data ?? []).map(({ id, name, slug }) => ({
                value: id,
                label: visible(name ?? slug),
              }))}
              onChange={setJudge}
            />
          </div>
        </>
      )}
      {refusal !== undefined && <p>{refusal}</p>}
      {error && <Failure what="The traces were not added." error={error} />}
    </FormModal>
  )
}
