import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { applied, dataOf, deltaOf, isSameContent, stored } from './content.ts'
import * as inputs from './inputs.ts'
import {
  type AnyRow,
  type Artifact,
  artifactOf,
  contains,
  defaultOf,
  headOf,
  isHidden,
  type Json,
  type Kind,
  type Layer,
  type Revision,
  shown,
  shownSimple,
  shownVariantOf,
  type Variant,
} from './model.ts'
import { agrees, entryOf, hasReference, identifies, inEntry, infoOf, isMeant, members, resolve } from './references.ts'
import {
  type Expected,
  keyOf,
  LAYERS,
  NOTHING,
  oneOf,
  pathOf,
  plainKind,
  pluralOf,
  refused,
  type World,
} from './world.ts'

/** One request, or a few that belong together, with random parts; carries them out and compares the answers. */
interface Operation {
  /** How often it is chosen. */
  weight: number
  parts: Record<string, fc.Arbitrary<any>>
  carryOut(world: World, parts: Json): Promise<unknown>
}

const ENVIRONMENT = plainKind({ family: 'environment' })
const isTaken = ({ registry }: World, { family }: Kind, layer: Layer, slug: string | undefined): boolean =>
  slug !== undefined && registry.find(family, layer, { slug }) !== undefined
const { kind, layer, at, slug, header, content, maybe, rarely, reference, references } = inputs

const create: Operation = {
  weight: 3,
  parts: { kind, slug, header, folder: inputs.folder, isChosen: rarely },
  carryOut(world, { kind, slug, header, folder, isChosen }) {
    const id = isChosen && kind.name !== 'workflow' ? crypto.randomUUID() : undefined
    const folder_id = inputs.sentFolder(world, folder)
    const path = `/${kind.plural}/${id ? `?${kind.name}_id=${id}` : ''}`
    return world.ask('POST', path, { [kind.name]: { slug, ...header, folder_id } }, answer => {
      if (isTaken(world, kind, 'artifact', slug)) return refused(409)
      if (folder_id === world.unknown) return refused(404)
      const made = { ...header, folder_id }
      const artifact = world.registry.addArtifact(kind, id ?? answer?.[kind.name]?.id, slug, made)
      return oneOf(kind, 'artifact', shown(kind, artifact))
    })
  },
}

const createSimple: Operation = {
  weight: 6,
  parts: { kind, slug, header, content: maybe(content) },
  async carryOut(world, { kind, slug, header, content }) {
    const { registry } = world
    const data = content && dataOf(kind, content)
    const answer = await world.ask(
      'POST',
      `/simple/${kind.plural}/`,
      { [kind.name]: { slug, ...header, data } },
      answer => {
        if (isTaken(world, kind, 'artifact', slug)) return refused(409)
        const { id, variant_id, revision_id } = answer?.[kind.name] ?? {}
        const isFamily = kind.family === 'workflow'
        const artifact = registry.addArtifact(kind, id, slug, isFamily ? { flags: {}, ...header } : header)
        const labels = { ...header, flags: undefined }
        const variant = registry.addVariant(artifact, variant_id, '', labels)
        registry.addRevision(variant, '', '', { ...(isFamily && labels), message: 'Initial commit' })
        const kept = kind.family === 'testset' ? (data ?? { testcases: [] }) : stored(data)
        registry.addRevision(variant, revision_id, '', { ...labels, data: kept })
        return oneOf(kind, 'artifact', shownSimple(kind, artifact))
      },
    )
    if (!answer) return
    const variant = registry.of(kind.family).at(-1)?.variants[0] as Variant
    const { body } = await world.send('GET', `/${kind.plural}/variants/${variant.id}`)
    variant.slug = body[`${kind.name}_variant`].slug
    variant.name ??= variant.slug
    if (header.name === undefined) variant.name = variant.slug
    await world.learn(variant)
  },
}

const createVariant: Operation = {
  weight: 3,
  parts: { kind, at, slug, header, isUnknown: rarely },
  carryOut(world, { kind, at, slug, header, isUnknown }) {
    const artifact = isUnknown ? undefined : world.pick<Artifact>(kind, 'artifact', at)
    const key = `${kind.name}_variant`
    const body = { [key]: { [`${kind.name}_id`]: artifact?.id ?? world.unknown, slug, ...header } }
    return world.ask('POST', `/${kind.plural}/variants/`, body, answer => {
      if (!artifact) return refused(404)
      if (isTaken(world, kind, 'variant', slug)) return refused(409)
      return oneOf(kind, 'variant', shown(kind, world.registry.addVariant(artifact, answer?.[key]?.id, slug, header)))
    })
  },
}

const fork: Operation = {
  weight: 3,
  parts: { kind, slug, header, source: reference, pin: maybe(inputs.revisionReference) },
  async carryOut(world, { kind, slug, header, source, pin }) {
    const variant = inputs.sentReference(world, kind, 'variant', source)
    const revision = inputs.sentReference(world, kind, 'revision', pin)
    const key = `${kind.name}_variant`
    const body = { ...members(kind, { variant, revision }), [key]: { slug, ...header } }
    let made: Variant | undefined
    await world.ask('POST', `/${kind.plural}/variants/fork`, body, answer => {
      if (kind.name === 'environment' && revision?.version !== undefined) return refused(400)
      const pinned = resolve(world.registry, kind, { variant, revision })
      if (pinned === undefined || pinned === 400) return refused(400)
      const copied = pinned.variant.revisions.filter(row => row.version <= pinned.version && row.archivedBy === null)
      if (copied.length === 0) return refused(400)
      if (isTaken(world, kind, 'variant', slug)) return refused(409)
      made = world.registry.addVariant(pinned.variant.artifact, answer?.[key]?.id, slug, header)
      for (const row of copied) world.registry.addRevision(made, '', '', row)
      return oneOf(kind, 'variant', shown(kind, made))
    })
    if (made) await world.learn(made)
  },
}

const seed: Operation = {
  weight: 2,
  parts: { kind, at, slug: maybe(slug), header },
  carryOut(world, { kind, at, slug, header }) {
    const variant = world.pick<Variant>(kind, 'variant', at)
    const key = `${kind.name}_revision`
    const body = { [key]: { [`${kind.name}_variant_id`]: variant?.id ?? world.unknown, slug, ...header } }
    return world.ask('POST', `/${kind.plural}/revisions/`, body, answer => {
      if (!variant) return refused(404)
      if (variant.revisions.length > 0 || isTaken(world, kind, 'revision', slug)) return refused(409)
      const made = { ...header, message: 'Initial revision' }
      const { id, slug: given } = answer?.[key] ?? {}
      return oneOf(kind, 'revision', shown(kind, world.registry.addRevision(variant, id, given, made)))
    })
  },
}

const commit: Operation = {
  weight: 9,
  parts: {
    kind,
    at,
    header,
    slug: maybe(slug),
    message: maybe(inputs.text),
    content: maybe(content),
    delta: maybe(content),
    base: maybe(at),
    isUnknown: rarely,
  },
  carryOut(world, { kind, at, header, slug, message, base, isUnknown, ...given }) {
    const { name, family } = kind
    const variant = isUnknown ? undefined : world.pick<Variant>(kind, 'variant', at)
    const head = headOf(variant)
    const data = given.content && dataOf(kind, given.content)
    const delta = given.delta && family !== 'query' ? deltaOf(kind, given.delta) : undefined
    const other = base !== undefined && base % 3 === 0
    const base_revision_id = base === undefined ? undefined : (other ? world.pick(kind, 'revision', base) : head)?.id
    const sent = { slug, ...header, message, data, delta, base_revision_id }
    const body = { [`${name}_revision`]: { [`${name}_variant_id`]: variant?.id ?? world.unknown, ...sent } }
    return world.ask('POST', `/${kind.plural}/revisions/commit`, body, answer => {
      const isFamily = family === 'workflow'
      if (data && delta) return refused(400)
      if ((family === 'testset' || family === 'environment') && !data && !delta) return refused(400)
      if (!variant) return refused(404)
      if (base_revision_id !== undefined && base_revision_id !== head?.id) return refused(409)
      if (isFamily && !data && !delta && head?.data) return refused(400)
      if (family === 'testset' && delta && !head) return refused(404)
      const kept = delta ? applied(kind, head?.data, delta) : stored(data)
      const warnings = isFamily && delta ? ['legacy_delta_form'] : []
      const skipsEqual = name === 'workflow' || (isFamily && base_revision_id !== undefined)
      if (skipsEqual && head?.archivedBy === null && isSameContent(kept, head.data)) {
        const said = { status: 'no_change', warnings: [...warnings, 'no_change'] }
        return { status: 200, body: { count: 1, [`${name}_revision`]: shown(kind, head), ...said } }
      }
      if (isTaken(world, kind, 'revision', slug)) return refused(409)
      const made = {
        ...header,
        message: message ?? (family === 'testset' && delta ? 'Patched testset revision' : null),
      }
      const { id, slug: own } = answer?.[`${name}_revision`] ?? {}
      const row = world.registry.addRevision(variant, id, own, { ...made, data: kept })
      const said = isFamily && { status: 'committed', ...(warnings.length > 0 && { warnings }) }
      return { status: 200, body: { count: 1, [`${name}_revision`]: shown(kind, row), ...said } }
    })
  },
}

/** Whether an edit is refused because of what the kind allows; undefined if it is not. */
function refusedEdit(kind: Kind, row: AnyRow | undefined, { name }: Json, missing: Expected): Expected | undefined {
  if (!row) return missing
  if (row.layer !== 'artifact' || kind.family !== 'workflow') return undefined
  if (row.archivedBy !== null) return missing
  if (kind.name === 'evaluator' && (name ?? row.name) !== row.name) return refused(400)
  return undefined
}

const edit: Operation = {
  weight: 5,
  parts: { kind, layer, at, header: inputs.editedHeader, folder: inputs.folder, isOther: rarely },
  carryOut(world, { kind, layer, at, header, folder, isOther }) {
    const row = world.pick(kind, layer, at)
    const folder_id = layer === 'artifact' ? inputs.sentFolder(world, folder) : undefined
    const changes = { ...header, folder_id }
    const id = isOther ? world.folders[0] : row?.id
    const path = `${pathOf(kind, layer)}/${row?.id ?? world.unknown}`
    return world.ask('PUT', path, { [keyOf(kind, layer)]: { id, ...changes } }, () => {
      if (isOther) return refused(400)
      const isWorkflow = layer === 'artifact' && kind.name === 'workflow'
      const refusal = refusedEdit(kind, row, header, isWorkflow ? refused(404) : NOTHING)
      if (refusal) return refusal
      if (isWorkflow && header.name?.trim() === '') return refused(422)
      if (folder_id === world.unknown) return refused(404)
      world.registry.edit(kind, row as AnyRow, changes)
      return oneOf(kind, layer, shown(kind, row as AnyRow))
    })
  },
}

const editSimple: Operation = {
  weight: 4,
  parts: { kind, at, header: inputs.editedHeader, content: maybe(content) },
  async carryOut(world, { kind, at, header, content }) {
    const { registry } = world
    const artifact = world.pick<Artifact>(kind, 'artifact', at)
    const data = content && dataOf(kind, content)
    const path = `/simple/${kind.plural}/${artifact?.id ?? world.unknown}`
    let changed: Variant | undefined
    const answer = await world.ask('PUT', path, { [kind.name]: { id: artifact?.id, ...header, data } }, answer => {
      const missing = kind.name === 'testset' ? refused(404) : NOTHING
      if (!artifact || (artifact.archivedBy !== null && kind.family === 'workflow')) return missing
      const variant = shownVariantOf(artifact)
      if (!variant && data) return refused(404)
      const refusal = refusedEdit(kind, artifact, header, missing)
      if (refusal) return refusal
      if (kind.name === 'workflow' && header.name?.trim() === '') return refused(422)
      const labels = (): Json => [artifact.name, artifact.description, artifact.tags, artifact.meta]
      const before = labels()
      registry.edit(kind, artifact, header)
      const head = headOf(variant)
      const kept = data === undefined ? (head?.data ?? null) : stored(data)
      if (variant && !(isDeepStrictEqual(before, labels()) && isDeepStrictEqual(kept, head?.data ?? null))) {
        changed = variant
        const { name, description, tags, meta } = artifact
        registry.addRevision(variant, answer?.[kind.name]?.revision_id, '', {
          name,
          description,
          tags,
          meta,
          data: kept,
        })
      }
      return oneOf(kind, 'artifact', shownSimple(kind, artifact))
    })
    if (answer && changed) await world.learn(changed)
  },
}

const archive: Operation = {
  weight: 5,
  parts: { kind, layer, at, verb: inputs.archiving },
  carryOut(world, { kind, layer, at, verb }) {
    const row = world.pick(kind, layer, at)
    return world.ask('POST', `${pathOf(kind, layer)}/${row?.id ?? world.unknown}/${verb}`, undefined, () => {
      if (!row) return NOTHING
      world.registry.setArchived(row, verb === 'archive')
      return oneOf(kind, layer, shown(kind, row))
    })
  },
}

const archiveSimple: Operation = {
  weight: 3,
  parts: { kind, at, verb: inputs.archiving },
  carryOut(world, { kind, at, verb }) {
    const row = world.pick<Artifact>(kind, 'artifact', at)
    return world.ask('POST', `/simple/${kind.plural}/${row?.id ?? world.unknown}/${verb}`, undefined, () => {
      if (!row) return NOTHING
      const usual = defaultOf(row)
      const takesVariant = ['evaluator', 'query', 'environment'].includes(kind.name) && row.archivedBy === null
      world.registry.setArchived(row, verb === 'archive')
      if (verb === 'archive' && takesVariant && usual) world.registry.setArchived(usual, true)
      return oneOf(kind, 'artifact', shownSimple(kind, row, { withData: kind.family === 'workflow' }))
    })
  },
}

const get: Operation = {
  weight: 3,
  parts: { kind, layer, at, isUnknown: rarely },
  carryOut(world, { kind, layer, at, isUnknown }) {
    const row = isUnknown ? undefined : world.pick(kind, layer, at)
    const expected = row ? oneOf(kind, layer, shown(kind, row)) : NOTHING
    return world.ask('GET', `${pathOf(kind, layer)}/${row?.id ?? world.unknown}`, undefined, () => expected)
  },
}

const getSimple: Operation = {
  weight: 3,
  parts: { kind, at, isUnknown: rarely },
  carryOut(world, { kind, at, isUnknown }) {
    const row = isUnknown ? undefined : world.pick<Artifact>(kind, 'artifact', at)
    const expected = row ? oneOf(kind, 'artifact', shownSimple(kind, row)) : NOTHING
    return world.ask('GET', `/simple/${kind.plural}/${row?.id ?? world.unknown}`, undefined, () => expected)
  },
}

const filter = fc.record(
  {
    slug,
    slugs: fc.array(slug, { maxLength: 3 }),
    name: inputs.partOfText,
    description: inputs.partOfText,
    message: inputs.partOfText,
    tags: inputs.tags,
    flags: inputs.flags,
    folder: inputs.folder,
  },
  { requiredKeys: [] },
)
const twoOf = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 2 })

const query: Operation = {
  weight: 9,
  parts: {
    kind,
    layer: fc.constantFrom(...LAYERS, 'simple'),
    filter,
    artifact: twoOf(reference),
    variant: twoOf(reference),
    revision: twoOf(inputs.revisionReference),
    include_archived: maybe(fc.boolean()),
    limit: maybe(fc.integer({ min: -1, max: 4 })),
    order: inputs.order,
    newest: fc.option(at, { nil: undefined, freq: 1 }),
    oldest: fc.option(at, { nil: undefined, freq: 1 }),
  },
  carryOut(world, { kind, layer: asked, filter: { folder, ...filter }, include_archived, limit, order, ...chosen }) {
    const isSimple = asked === 'simple'
    const layer: Layer = isSimple ? 'artifact' : asked
    const levels = LAYERS.slice(0, LAYERS.indexOf(layer) + 1)
    const sent = (of: Layer): Json[] => chosen[of].map((one: Json) => inputs.sentReference(world, kind, of, one))
    const refs = Object.fromEntries(levels.map(of => [of, sent(of)])) as Record<Layer, Json[]>
    const folder_id = layer === 'artifact' ? inputs.sentFolder(world, folder) : undefined
    const timeOf = (n: number | undefined): string | undefined =>
      n === undefined ? undefined : world.times.get(world.pick(kind, layer, n)?.id ?? '')
    const bounds = { newest: timeOf(chosen.newest), oldest: timeOf(chosen.oldest) }
    const body = {
      [keyOf(kind, layer)]: { ...filter, folder_id },
      ...Object.fromEntries(levels.map(of => [`${keyOf(kind, of)}_refs`, refs[of]])),
      include_archived,
    }
    const path = isSimple ? `/simple/${kind.plural}/query` : `${pathOf(kind, layer)}/query`
    const isScoped = levels.some(of => of !== 'revision' && refs[of].length > 0)
    if (layer === 'revision' && !isScoped && refs.revision.some(one => !identifies(one)))
      return world.ask('POST', path, body, () => refused(400))
    const show = (row: AnyRow): Json => (isSimple ? shownSimple(kind, row as Artifact) : shown(kind, row))
    const rows = world.registry
      .rows(kind.family, layer)
      .filter(
        row =>
          (include_archived || !isHidden(row)) &&
          (!kind.role || artifactOf(row).flags?.[kind.role] === true) &&
          (!isSimple || headOf(shownVariantOf(row as Artifact)) !== undefined) &&
          levels.every(of => refs[of].length === 0 || refs[of].some(one => isMeant(one, parentOf(row, of)))) &&
          (folder_id === undefined || (row as Artifact).folder_id === folder_id) &&
          isFound(filter, row, show(row).flags) &&
          isWithin(bounds, world.times.get(row.id) as string, order === 'ascending'),
      )
    const sentBounds = JSON.parse(JSON.stringify(bounds))
    return world.pages(path, body, { key: pluralOf(kind, layer), rows, show, limit, order, bounds: sentBounds })
  },
}

const parentOf = (row: AnyRow, of: Layer): AnyRow =>
  row.layer === of ? row : of === 'artifact' ? artifactOf(row) : (row as Revision).variant

function isFound({ slug, slugs = [], tags, ...texts }: Json, row: AnyRow, flags: Json): boolean {
  const named = slug === undefined ? slugs : [slug, ...slugs]
  const has = (member: 'name' | 'description' | 'message'): boolean =>
    texts[member] === undefined ||
    (member === 'message' && row.layer !== 'revision') ||
    ((row as Revision)[member] ?? null)?.toLowerCase().includes(texts[member].toLowerCase()) === true
  return (
    (named.length === 0 || named.includes(row.slug)) &&
    has('name') &&
    has('description') &&
    has('message') &&
    contains(row.tags ?? {}, tags ?? {}) &&
    contains(flags ?? {}, texts.flags ?? {})
  )
}

const isWithin = ({ newest, oldest }: Json, time: string, isAscending: boolean): boolean =>
  (newest === undefined || (isAscending ? time <= newest : time < newest)) &&
  (oldest === undefined || (isAscending ? time > oldest : time >= oldest))

const log: Operation = {
  weight: 3,
  parts: { kind, layer, at, depth: maybe(fc.integer({ min: -1, max: 3 })), include_archived: maybe(fc.boolean()) },
  carryOut(world, { kind, layer, at, depth, include_archived }) {
    const row = world.pick(kind, layer, at)
    const newest = row?.layer === 'revision' ? (row as Revision).version : Number.POSITIVE_INFINITY
    const variant = row && (layer === 'artifact' ? defaultOf(row as Artifact) : parentOf(row, 'variant'))
    const rows = ((variant as Variant | undefined)?.revisions ?? [])
      .filter(one => (include_archived || one.archivedBy === null) && one.version <= newest)
      .toReversed()
      .slice(0, depth === undefined ? undefined : Math.max(0, depth))
    const key = `${kind.name}_revisions`
    const body = { [key]: { [`${keyOf(kind, layer)}_id`]: row?.id ?? world.unknown, depth, include_archived } }
    const records = { count: rows.length, [key]: rows.map(one => shown(kind, one)) }
    return world.ask('POST', `/${kind.plural}/revisions/log`, body, () => ({ status: 200, body: records }))
  },
}

/** The answer to a retrieval of what references find. */
function retrieved(kind: Kind, row: Revision | undefined | 400, more: Json = {}): Expected {
  if (row === 400) return refused(400)
  if (!row) return NOTHING
  const { references, ...others } = more
  const retrieval_info = { references: { ...references, ...infoOf(kind, row) }, ...others }
  return { status: 200, body: { count: 1, [keyOf(kind, 'revision')]: shown(kind, row), retrieval_info } }
}

const retrieve: Operation = {
  weight: 6,
  parts: { kind, references },
  carryOut(world, { kind, references }) {
    const sent = inputs.sentReferences(world, kind, references)
    const expected = (): Expected => retrieved(kind, resolve(world.registry, kind, sent))
    return world.ask('POST', `/${kind.plural}/revisions/retrieve`, members(kind, sent), expected)
  },
}

const retrieveDeployed: Operation = {
  weight: 4,
  parts: {
    kind: inputs.deployable,
    references,
    environment: references,
    key: maybe(fc.constantFrom('k', 'a.revision', 'nope', '')),
  },
  carryOut(world, { kind, references, environment, key }) {
    const { registry } = world
    const sent = inputs.sentReferences(world, kind, references)
    const place = inputs.sentReferences(world, ENVIRONMENT, environment)
    const body = { ...members(kind, sent), ...members(ENVIRONMENT, place), key }
    return world.ask('POST', `/${kind.plural}/revisions/retrieve`, body, () => {
      if (!hasReference(place)) {
        if (key || place.revision?.version !== undefined) return refused(400)
        return retrieved(kind, resolve(registry, kind, sent))
      }
      const { artifact } = sent
      const slug = artifact?.slug ?? (identifies(artifact) && registry.find(kind.family, 'artifact', artifact)?.slug)
      if (!key && !slug) return refused(400)
      const found = resolve(registry, ENVIRONMENT, place)
      if (!found || found === 400) return refused(found ?? 404)
      const name = key || `${slug}.revision`
      const deployed = inEntry(kind, found.data?.references?.[name])
      if (!deployed) return refused(404)
      const row = resolve(registry, kind, deployed)
      if (row && row !== 400 && !agrees(sent, row)) return refused(400)
      return retrieved(kind, row, { references: infoOf(ENVIRONMENT, found), selector: { key: name } })
    })
  },
}

const deploy: Operation = {
  weight: 4,
  parts: {
    kind: inputs.deployable,
    references,
    environment: references,
    key: maybe(fc.constantFrom('k', 'a.revision')),
  },
  async carryOut(world, { kind, references, environment, key }) {
    const { registry } = world
    const sent = inputs.sentReferences(world, kind, references)
    const place = inputs.sentReferences(world, ENVIRONMENT, environment)
    const body = { ...members(kind, sent), ...members(ENVIRONMENT, place), key, message: 'm' }
    let changed: Variant | undefined
    await world.ask('POST', `/${kind.plural}/revisions/deploy`, body, () => {
      if (!hasReference(sent) || !hasReference(place)) return refused(400)
      const row = resolve(registry, kind, sent)
      if (!row || row === 400) return refused(row ?? 404)
      const found = resolve(registry, ENVIRONMENT, place)
      if (!found || found === 400) return refused(found ?? 404)
      changed = found.variant
      const entries = { ...headOf(changed)?.data?.references }
      const data = { references: { ...entries, [key ?? `${row.variant.artifact.slug}.revision`]: entryOf(kind, row) } }
      registry.addRevision(changed, '', '', { message: 'm', data })
      return oneOf(kind, 'revision', shown(kind, row))
    })
    if (changed) await world.learn(changed)
  },
}

const OPERATIONS: Record<string, Operation> = {
  create,
  createSimple,
  createVariant,
  fork,
  seed,
  commit,
  edit,
  editSimple,
  archive,
  archiveSimple,
  get,
  getSimple,
  query,
  log,
  retrieve,
  retrieveDeployed,
  deploy,
}

/** An operation by its name, with its random parts. */
export interface Chosen {
  name: string
  parts: Json
}

export const chosen: fc.Arbitrary<Chosen> = fc.oneof(
  ...Object.entries(OPERATIONS).map(([name, { weight, parts }]) => ({
    weight,
    arbitrary: fc.record({ name: fc.constant(name), parts: fc.record(parts) }),
  })),
)

/** Carries out an operation. Throws when an answer is not the model's. */
export async function carryOut(world: World, { name, parts }: Chosen): Promise<void> {
  world.registry.now++
  await OPERATIONS[name]?.carryOut(world, parts)
}
