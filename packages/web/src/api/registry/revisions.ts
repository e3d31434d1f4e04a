import { queryOptions } from '@tanstack/react-query'
import { api, post } from '../client.ts'
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

/** Revisions that are read at once. */
const REVISIONS_MAX = 1_000

/**
 * The newest revisions of all artifacts of a kind with content, newest first, of testsets without their testcases. Those
 * of an artifact that has none among the newest of all are asked for by its id.
 */
export const revisionChoicesQuery = (kind: ArtifactKind) =>
  queryOptions({
    queryKey: ['revision choices', kind],
    queryFn: async ({ signal, client }) => {
      const withoutRows = kind === 'testset' ? { include_testcases: false, include_testcase_ids: false } : {}
      const read = async (of: object): Promise<Revision[]> => {
        const body = { ...of, windowing: { limit: REVISIONS_MAX }, ...withoutRows }
        const answer = await post<Record<string, Revision[] | undefined>>(`/${kind}s/revisions/query`, body, signal)
        return answer[`${kind}_revisions`] ?? []
      }
      const revisions = await read({})
      let hasMore = revisions.length === REVISIONS_MAX
      while (hasMore) {
        const seen = new Set(revisions.map(({ artifact_id }) => artifact_id))
        const others = (await client.ensureQueryData(artifactsQuery(kind))).filter(({ id }) => !seen.has(id))
        const more = others.length > 0 ? await read({ [`${kind}_refs`]: others.map(({ id }) => ({ id })) }) : []
        revisions.push(...more)
        hasMore = more.length === REVISIONS_MAX
      }
      // The first revision of a variant is empty.
      return revisions.filter(({ version }) => version !== '0')
    },
  })
