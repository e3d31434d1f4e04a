import type { Problem } from '@spanhouse/model'
import type { Scope } from '../kind.ts'
import { KINDS } from '../kinds.ts'
import { findRevisions } from '../rows/find-many.ts'
import type { RevisionRow } from '../rows/rows.ts'
import { asKind } from '../scope.ts'
import type { EmbeddableName, EmbedTarget } from './embed.ts'
import { COPIED_MAX } from './resolve.ts'
import type { LoadEmbeds } from './targets.ts'

type Answer = RevisionRow | Problem | undefined

/** Loads the targets of embeds from the scope's project, with two statements for each kind among them. */
export const embedLoader =
  (scope: Scope): LoadEmbeds =>
  async targets => {
    const answers = new Map<EmbedTarget, Answer>()
    for (const [kind, wanted] of Map.groupBy(targets, target => target.kind)) {
      const rows = await loadKind(scope, kind, wanted)
      for (const [n, target] of wanted.entries()) answers.set(target, rows[n])
    }
    return targets.map(target => answers.get(target))
  }

const loadKind = (scope: Scope, kind: EmbeddableName, wanted: readonly EmbedTarget[]): Promise<Answer[]> =>
  findRevisions(
    asKind(scope, KINDS[kind]),
    wanted.map(target => target.references),
    { bytesMax: COPIED_MAX },
  )
