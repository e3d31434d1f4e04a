import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../api-error.ts'
import { apiById, post } from '../client.ts'
import { type JsonObject, randomHex, slugOf } from './registry.ts'

export interface Testset {
  id: string
  slug: string
  name?: string
  description?: string
  created_at: string
  updated_at?: string
  /** Set while it is archived. */
  deleted_at?: string | null
}

/** A row of a testset. */
export interface Testcase {
  id?: string
  data?: JsonObject
  flags?: JsonObject
  tags?: JsonObject
  meta?: JsonObject
}

export interface TestsetRevision {
  id: string
  version: string
  message?: string
  date: string
  testset_id: string
  testset_slug: string
  testset_variant_id: string
  data?: { testcases?: Testcase[] }
}

export const testsetsQuery = queryOptions({
  queryKey: ['testsets'],
  queryFn: async ({ signal }) => (await post<{ testsets: Testset[] }>('/testsets/query', {}, signal)).testsets,
})

export const testsetQuery = (id: string) =>
  queryOptions({
    queryKey: ['testset', id],
    queryFn: async ({ signal }) =>
      (await apiById<{ testset?: Testset }>(`/testsets/${encodeURIComponent(id)}`, { signal }))?.testset ?? null,
  })

/** The revisions of a testset without their rows, newest first. Those of an archived one are asked for by saying so. */
export const testsetRevisionsQuery = (id: string, include_archived = false) =>
  queryOptions({
    queryKey: ['testset revisions', id, include_archived],
    queryFn: async ({ signal }) => {
      const body = { testset_refs: [{ id }], include_archived, include_testcases: false }
      return (await post<{ testset_revisions: TestsetRevision[] }>('/testsets/revisions/query', body, signal))
        .testset_revisions
    },
  })

/** Whether a revision was committed: the first one of a variant is empty, for others to begin with. */
export const isCommitted = ({ version }: Pick<TestsetRevision, 'version'>): boolean => version !== '0'

/** A revision with its rows; the newest one if none is named. */
export const testsetRevisionQuery = (testset_id: string, revision_id: string | undefined) =>
  queryOptions({
    queryKey: ['testset revision', testset_id, revision_id ?? 'newest'],
    queryFn: async ({ signal }) => {
      const body =
        revision_id === undefined ? { testset_ref: { id: testset_id } } : { testset_revision_ref: { id: revision_id } }
      const asked = { method: 'POST', body, signal, isExact: true } as const
      const answer = await apiById<{ testset_revision?: TestsetRevision }>('/testsets/revisions/retrieve', asked)
      return answer?.testset_revision ?? null
    },
    structuralSharing: false,
  })

/** Creates a testset with rows. Its slug comes from its name, with some digits so that it is free. */
export async function createTestset(name: string, rows: readonly JsonObject[]): Promise<Testset> {
  const slug = `${slugOf(name)}-${randomHex(4)}`
  const testset = { slug, name, data: { testcases: rows.map(data => ({ data })) } }
  return (await post<{ testset: Testset }>('/simple/testsets/', { testset })).testset
}

/** What is asked for again when a testset has another revision. */
export const COMMITTED = ['testset revision', 'testset revisions', 'testset rows', 'testsets', 'revision choices']

interface TestsetCommit {
  base: TestsetRevision
  testcases: readonly Testcase[]
  message: string
}

/** Commits all rows of a testset as its next revision. Throws if another user has committed since `base`. */
export async function commitTestset({ base, testcases, message }: TestsetCommit): Promise<TestsetRevision> {
  const { testset_id, testset_variant_id, id: base_revision_id } = base
  const commit = { testset_id, testset_variant_id, base_revision_id, message, data: { testcases } }
  const body = { testset_revision_commit: commit }
  const answer = await post<{ testset_revision: TestsetRevision }>('/testsets/revisions/commit', body).catch(error => {
    if (error instanceof ApiError && error.status === 409)
      throw new Error('Another version was committed in the meantime. Copy your changes, and reload the testset.')
    throw error
  })
  return answer.testset_revision
}

/** Adds rows at the end of a testset. */
export const appendTestcases = (testset_id: string, rows: readonly JsonObject[], message: string): Promise<unknown> =>
  post('/testsets/revisions/commit', {
    testset_revision_commit: { testset_id, message, delta: { rows: { add: rows.map(data => ({ data })) } } },
  })
