import { compileFacets, compileFacetsSince, type FacetQuery, type FacetRow } from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'
import { readAggregates } from './aggregates.ts'

/**
 * The most frequent values of facets among the newest rows. A shard does not know which of its rows are among the
 * newest of all, so of several shards the time is looked up first from which on rows are counted.
 */
export async function readFacets(engine: Engine, asked: FacetQuery, holder?: Holder): Promise<FacetRow[]> {
  const shards = (await engine.shards?.()) ?? []
  if (shards.length < 2) return readAggregates(engine, compileFacets(asked), holder)
  const [newest] = await readAggregates<{ since: number }>(engine, compileFacetsSince(asked), holder)
  return newest ? readAggregates(engine, compileFacets(asked, newest.since), holder) : []
}
