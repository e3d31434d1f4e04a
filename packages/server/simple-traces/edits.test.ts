import type { ProjectPrincipal } from '@spanhouse/access'
import { microsNow } from '@spanhouse/model'
import { canonicalise, draftOfBody, type SpanDraft } from '@spanhouse/otlp'
import { SpanBatch, SpanWriter } from '@spanhouse/span-store'
import { newProject, openTestEngine } from '@spanhouse/span-store/spans.testing.ts'
import type { SpanMessage } from '@spanhouse/span-stream'
import { expect, test } from 'vitest'
import { deletionIn, spansIn } from '../roles/message-spans.ts'
import { type SimpleTraceParts, SimpleTraces } from './simple-traces.ts'
import { spanOfSimpleTrace } from './span.ts'
import { SURFACES, type Surface } from './surfaces.ts'

test('an edit replaces what a process whose clock is ahead has accepted', async () => {
  const { engine, close } = await openTestEngine()
  const [surface] = SURFACES as [Surface]
  const project_id = newProject()
  const sender = { project_id, user_id: project_id }
  const ids = { trace_id: '1'.repeat(32), span_id: '2'.repeat(16), span_name: 'note' }
  const references = { keys: {}, selector: undefined }
  const body = spanOfSimpleTrace(surface, ids, { data: { outputs: 1 }, references, links: [] } as never)
  const ahead = microsNow() + 3_600_000_000
  const writer = new SpanWriter(engine)
  const span = canonicalise(draftOfBody(body, ahead) as SpanDraft)
  await writer.write(SpanBatch.of([{ ...sender, accepted_at: ahead, span }]))

  const published: SpanMessage[] = []
  const parts = {
    engine,
    background: engine,
    stream: { partitions: 1, publish: async (messages: SpanMessage[]) => void published.push(...messages) },
    metrics: { accepted: { inc: () => undefined } },
    postgres: { lease: async () => ({ lost: new AbortController().signal, release: async () => undefined }) },
  } as unknown as SimpleTraceParts
  const principal = sender as ProjectPrincipal
  const edited = await new SimpleTraces(parts).edit(surface, principal, ids.trace_id, { data: { outputs: 2 } } as never)
  expect(edited).toMatchObject({ data: { outputs: 2 } })
  const [message] = published as [SpanMessage]
  const spans = Array.from(spansIn(message), ({ span }) => ({ ...sender, accepted_at: message.accepted_at, span }))
  expect(await writer.write(SpanBatch.of(spans))).toMatchObject({ replaced: 1 })
  await close()
})

test('an edit finds what another process has accepted and the stream still holds', async () => {
  const { engine, close } = await openTestEngine()
  const [surface] = SURFACES as [Surface]
  const project_id = newProject()
  const sender = { project_id, user_id: project_id }
  const ids = { trace_id: '1'.repeat(32), span_id: '2'.repeat(16), span_name: 'note' }
  const references = { keys: {}, selector: undefined }
  const body = spanOfSimpleTrace(surface, ids, { data: { outputs: 1 }, references, links: [] } as never)
  const accepted_at = microsNow()
  const span = canonicalise(draftOfBody(body, accepted_at) as SpanDraft)
  const writer = new SpanWriter(engine)
  // The writer takes what the stream holds, and with it a deletion that follows.
  const publish = async ([message]: SpanMessage[]): Promise<void> => {
    if (message?.format !== 'deletion') return
    const batch = SpanBatch.of([{ ...sender, accepted_at, span }])
    batch.deletions.push(deletionIn(message))
    await writer.write(batch)
  }
  const parts = {
    engine,
    background: engine,
    stream: { partitions: 1, publish, stats: async () => ({ depth: 1, oldestSeconds: 60 }) },
    metrics: { accepted: { inc: () => undefined } },
    postgres: { lease: async () => ({ lost: new AbortController().signal, release: async () => undefined }) },
  } as unknown as SimpleTraceParts
  const principal = sender as ProjectPrincipal
  const edited = await new SimpleTraces(parts).edit(surface, principal, ids.trace_id, { data: { outputs: 2 } } as never)
  expect(edited).toMatchObject({ data: { outputs: 2 } })
  await close()
})
