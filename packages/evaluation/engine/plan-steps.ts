import { isJsonObject, type JsonObject, type Uuid } from '@spanhouse/model'
import { databaseProblem } from '@spanhouse/postgres'
import { findRevision, KINDS, toRevisionJson } from '@spanhouse/registry'
import { statusOf } from '@spanhouse/runtime'
import type { RunRow } from '../entities/rows.ts'
import { type Step, stepsOf } from '../runs/run-data.ts'
import { registryScope } from '../scope.ts'
import type { CallStatus, EngineParts, Owner, Workflow } from './doors.ts'

/** A step that the server executes, and the revision that it calls. */
export interface ExecutedStep {
  key: string
  type: 'invocation' | 'annotation'
  /** All layers of the revision, as the trace of a call refers to them. */
  references: JsonObject
  /** The revision that it calls; undefined if it refers to none. */
  revision_id: Uuid | undefined
  /** Flags of the revision. */
  flags: JsonObject
  /** The inputs that the revision declares; undefined: it takes all. */
  inputKeys: ReadonlySet<string> | undefined
  /** Undefined when it cannot be called: then every cell of the step fails with this. */
  workflow: Workflow | undefined
  failure: CallStatus | undefined
}

/** What of a revision does not depend on the step. */
type Target = Pick<ExecutedStep, 'flags' | 'inputKeys' | 'workflow' | 'failure'>

/** Kinds of revisions that a step can call. */
const CALLED = ['application', 'evaluator', 'workflow'] as const

/** Loads the revisions that runs pin, each once for each user, archived or not. */
export class StepLoader {
  readonly #parts: EngineParts
  readonly #project_id: Uuid
  readonly #targets = new Map<string, Promise<Target>>()

  constructor(parts: EngineParts, project_id: Uuid) {
    this.#parts = parts
    this.#project_id = project_id
  }

  /**
   * The steps that the server executes for this user, applications first. Rejects while the registry cannot be read.
   */
  async load(run: RunRow, user_id: Uuid | null): Promise<ExecutedStep[]> {
    const steps = stepsOf(run)
    const executed = [
      ...steps.filter(({ type }) => type === 'invocation'),
      ...steps.filter(({ type, origin }) => type === 'annotation' && origin === 'auto'),
    ]
    return Promise.all(executed.map(step => this.#load(step, user_id)))
  }

  async #load(step: Step, user_id: Uuid | null): Promise<ExecutedStep> {
    const { key, references } = step
    const type = step.type as ExecutedStep['type']
    const { kind, id: revision_id } = calledBy(references)
    const target = await this.#target(step.key, { kind, id: revision_id, user_id })
    return { key, type, references: shownReferences(references), revision_id, ...target }
  }

  async #target(key: string, { kind, id, user_id }: Called & { user_id: Uuid | null }): Promise<Target> {
    if (!kind || id === undefined) return notCallable({ code: 400, message: `The step ${key} refers to no revision.` })
    const name = `${kind} ${id} ${user_id}`
    const known = this.#targets.get(name) ?? this.#open(kind, id, { project_id: this.#project_id, user_id })
    this.#targets.set(name, known)
    known.catch(() => this.#targets.delete(name))
    return known
  }

  async #open(kind: (typeof CALLED)[number], id: Uuid, owner: Owner): Promise<Target> {
    const { db, runtime, workflows } = this.#parts
    const scope = registryScope({ db, runtime, ...owner }, KINDS[kind])
    const row = await findRevision(scope, { revision: { id } })
    if (!row) return notCallable({ code: 404, message: `The ${kind} revision ${id} does not exist.` })
    const { data, flags } = toRevisionJson(scope, row)
    if (!isJsonObject(data)) return notCallable({ code: 400, message: `The ${kind} revision ${id} has no data.` })
    try {
      const workflow = await workflows.open(owner, { id, data })
      return { workflow, failure: undefined, flags: isJsonObject(flags) ? flags : {}, inputKeys: declaredInputs(data) }
    } catch (error) {
      if (databaseProblem(error)?.retryable) throw error
      const { code, message } = statusOf(error)
      return notCallable({ code, message })
    }
  }
}

/** The revision that a step calls, and of which kind it is. */
interface Called {
  kind: (typeof CALLED)[number] | undefined
  id: Uuid | undefined
}

function calledBy(references: Step['references']): Called {
  const kind = CALLED.find(name => references[`${name}_revision`]?.id !== undefined)
  return { kind, id: kind && references[`${kind}_revision`]?.id }
}

const notCallable = (failure: CallStatus): Target => ({
  workflow: undefined,
  failure,
  flags: {},
  inputKeys: undefined,
})

/** The names in `schemas.inputs.properties`; a revision that declares none takes everything. */
function declaredInputs({ schemas }: JsonObject): ReadonlySet<string> | undefined {
  const inputs = isJsonObject(schemas) ? schemas.inputs : undefined
  const properties = isJsonObject(inputs) ? inputs.properties : undefined
  const names = isJsonObject(properties) ? Object.keys(properties) : []
  return names.length > 0 ? new Set(names) : undefined
}

/** References as traces hold them: members that are absent are left out. */
export const shownReferences = (references: Step['references']): JsonObject =>
  Object.fromEntries(
    Object.entries(references).map(([key, { id, slug, version }]) => [
      key,
      {
        ...(id !== undefined && { id }),
        ...(slug !== undefined && { slug }),
        ...(version !== undefined && { version }),
      },
    ]),
  )
