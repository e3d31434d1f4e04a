import type { Uuid } from '@spanhouse/model'
import { type ActivityQuery, type ActivityRow, type Actor, compileActivityQuery } from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'
import { readAggregates } from './aggregates.ts'

/** One page of the sessions or users of a project, ordered by their activity. */
export const readActivity = (
  engine: Engine,
  { project_id, actor, query }: { project_id: Uuid; actor: Actor; query: ActivityQuery },
  holder?: Holder,
): Promise<ActivityRow[]> => readAggregates(engine, compileActivityQuery(project_id, actor, query), holder)
