import { microsNow } from '@spanhouse/model'
import { SpanBatch, SpanWriter } from '@spanhouse/span-store'
import { makeSpan, newProject, openTestEngine } from '@spanhouse/span-store/spans.testing.ts'
import type { SpanMessage } from '@spanhouse/span-stream'
import { expect, test } from 'vitest'
import { deletionIn } from '../roles/message-spans.ts'
import { type Deleting, deleteTrace } from './delete-trace.ts'

test('a deletion takes what a process whose clock is ahead has accepted', async () => {
  const { engine, close } = await openTestEngine()
  const project_id = newProject()
  const sender = { project_id, user_id: project_id }
  const writer = new SpanWriter(engine)
  const span = makeSpan({ trace_id: '1'.repeat(32), span_id: '2'.repeat(16) })
  await writer.write(SpanBatch.of([{ ...sender, accepted_at: microsNow() + 3_600_000_000, span }]))
  const publish = async ([message]: SpanMessage[]): Promise<void> => {
    const batch = new SpanBatch()
    batch.deletions.push(deletionIn(message as SpanMessage))
    await writer.write(batch)
  }
  const deleting = {
    stream: { partitions: 1, publish },
    background: engine,
    postgres: { lease: async () => ({ lost: new AbortController().signal, release: async () => undefined }) },
  } as unknown as Deleting
  expect(await deleteTrace(deleting, sender, span.trace_id)).toEqual([span.span_id])
  await close()
})
