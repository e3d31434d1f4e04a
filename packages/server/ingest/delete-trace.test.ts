import { microsNow } from '@spanhouse/model'
import { SpanBatch, SpanWriter } from '@spanhouse/span-store'
import { makeSpan, newProject, openTestEngine } from '@spanhouse/span-store/spans.testing.ts'
import type { SpanMessage } from '@spanhouse/span-stream'
import { expect, test } from 'vitest'
import { deletionIn } from '../roles/message-spans.ts'
import { type Deleting, deleteTrace } from './delete-trace.ts'

const AHEAD = 3_600_000_000

/** Deletes a trace of one span, which a process whose clock is ahead has accepted. */
async function deleteOne({ isOnItsWay }: { isOnItsWay: boolean }): Promise<{ deleted: string[]; span_id: string }> {
  const { engine, close } = await openTestEngine()
  const project_id = newProject()
  const sender = { project_id, user_id: project_id }
  const writer = new SpanWriter(engine)
  const span = makeSpan({ trace_id: '1'.repeat(32), span_id: '2'.repeat(16) })
  const storeSpan = () => writer.write(SpanBatch.of([{ ...sender, accepted_at: microsNow() + AHEAD, span }]))
  if (!isOnItsWay) await storeSpan()
  let published = 0
  const publish = async ([message]: SpanMessage[]): Promise<void> => {
    if (isOnItsWay && published++ === 0) await storeSpan()
    const batch = new SpanBatch()
    batch.deletions.push(deletionIn(message as SpanMessage))
    await writer.write(batch)
  }
  const deleting = {
    stream: { partitions: 1, publish },
    background: engine,
    postgres: { lease: async () => ({ lost: new AbortController().signal, release: async () => undefined }) },
  } as unknown as Deleting
  const deleted = await deleteTrace(deleting, sender, span.trace_id)
  await close()
  return { deleted, span_id: span.span_id }
}

test.each([false, true])(
  'a deletion takes what a process whose clock is ahead has accepted, on its way: %s',
  async isOnItsWay => {
    const { deleted, span_id } = await deleteOne({ isOnItsWay })
    expect(deleted).toEqual([span_id])
  },
)
