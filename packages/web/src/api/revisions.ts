import { queryOptions } from '@tanstack/react-query'
import { api, post } from './client.ts'
import type { Revision } from './registry.ts'

/** A revision by its id; null if there is none. Revisions never change. */
export const revisionQuery = (kind: 'application' | 'evaluator', id: string) =>
  queryOptions({
    queryKey: ['revision', kind, id],
    queryFn: async ({ signal }) => {
      const asked = { signal, isExact: true }
      const answer = await api<Record<string, Revision | undefined>>(`/${kind}s/revisions/${id}`, asked)
      return answer[`${kind}_revision`] ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

/** An artifact of any kind, without its content. */
export interface Artifact {
  id: string
  slug: string
  name?: string
}

export type ArtifactKind = 'testset' | 'application' | 'evaluator'

/** The artifacts of a kind, newest first. */
export const artifactsQuery = (kind: ArtifactKind) =>
  queryOptions({
    queryKey: ['artifacts', kind],
    queryFn: async ({ signal }) =>
      (await post<Record<string, Artifact[] | undefined>>(`/${kind}s/query`, {}, signal))[`${kind}s`] ?? [],
  })

/** Revisions that can be chosen from, of all artifacts of a kind. */
const REVISIONS_MAX = 1_000

/** The newest revisions of a kind with content, newest first, of testsets without their testcases. */
export const revisionChoicesQuery = (kind: ArtifactKind) =>
  queryOptions({
    queryKey: ['revision choices', kind],
    queryFn: async ({ signal }) => {
      const withoutRows = kind === 'testset' ? { include_testcases: false, include_testcase_ids: false } : {}
      const body = { windowing: { limit: REVISIONS_MAX }, ...withoutRows }
      const answer = await post<Record<string, Revision[] | undefined>>(`/${kind}s/revisions/query`, body, signal)
      // The first revision of a variant is empty.
      return (answer[`${kind}_revisions`] ?? []).filter(({ version }) => version !== '0')
    },
  })
