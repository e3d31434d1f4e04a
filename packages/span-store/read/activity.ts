import type { Uuid } from '@spanhouse/model'
import { type ActivityQuery, type ActivityRow, type Actor, compileActivityQuery, printSql } from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'

/** One page of the sessions or users of a project, in the order of their activity. */
export const readActivity = (
  engine: Engine,
  { project_id, actor, query }: { project_id: Uuid; actor: Actor; query: ActivityQuery },
  holder?: Holder,
): Promise<ActivityRow[]> => engine.rows(printSql(compileActivityQuery(project_id, actor, query)), holder)
