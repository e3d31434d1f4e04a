import { inject } from 'vitest'
import { ask } from '../../harness.ts'
import { bodyOf, type Day, newSlug } from './caller.ts'

/** What a revision of each kind contains. */
const KINDS: Record<string, { plural: string; data: object }> = {
  workflow: { plural: 'workflows', data: { uri: 'agenta:builtin:echo:v0', parameters: {} } },
  application: { plural: 'applications', data: { uri: 'agenta:builtin:echo:v0', parameters: {} } },
  evaluator: { plural: 'evaluators', data: { uri: 'agenta:builtin:auto_exact_match:v0', parameters: {} } },
  testset: { plural: 'testsets', data: { testcases: [{ data: { a: 1 } }] } },
  query: { plural: 'queries', data: { windowing: { limit: 1 } } },
  environment: { plural: 'environments', data: { references: {} } },
}

/** Creates, edits, commits, forks, archives and restores one of every kind, in both forms. */
export async function keepRegistry(day: Day): Promise<void> {
  for (const kind of Object.keys(KINDS)) {
    await keepKind(day, kind)
    await keepSimple(day, kind)
  }
  await deploy(day)
  await uploadTestsets(day)
  await keepFolders(day)
}

async function keepKind({ as }: Day, kind: string): Promise<void> {
  const { plural, data } = KINDS[kind] as (typeof KINDS)[string]
  const own = async (path: string, name: string, value: object): Promise<any> =>
    (await as('POST', path, { [name]: value }))[name]
  const { id } = await own(`/${plural}`, kind, { slug: newSlug() })
  const variant = await own(`/${plural}/variants`, `${kind}_variant`, { slug: newSlug(), [`${kind}_id`]: id })
  const place = { [`${kind}_id`]: id, [`${kind}_variant_id`]: variant.id }
  const revision = await own(`/${plural}/revisions`, `${kind}_revision`, { slug: newSlug(), ...place })
  await own(`/${plural}/revisions/commit`, `${kind}_revision`, { slug: newSlug(), ...place, data })
  await as('POST', `/${plural}/variants/fork`, {
    [`${kind}_variant_ref`]: { id: variant.id },
    [`${kind}_variant`]: { slug: newSlug() },
    [`${kind}_revision`]: { slug: newSlug() },
  })
  for (const [path, name, one] of [
    [`/${plural}`, kind, id],
    [`/${plural}/variants`, `${kind}_variant`, variant.id],
    [`/${plural}/revisions`, `${kind}_revision`, revision.id],
  ]) {
    await as('PUT', `${path}/${one}`, { [name]: { id: one, description: 'D' } })
    await as('POST', `${path}/${one}/archive`)
    await as('POST', `${path}/${one}/unarchive`)
  }
}

async function keepSimple({ as }: Day, kind: string): Promise<void> {
  const { plural, data } = KINDS[kind] as (typeof KINDS)[string]
  const path = `/simple/${plural}`
  const { id } = (await as('POST', path, { [kind]: { slug: newSlug(), data } }))[kind]
  await as('PUT', `${path}/${id}`, { [kind]: { id, description: 'D' } })
  if (kind === 'environment') for (const verb of ['guard', 'unguard']) await as('POST', `${path}/${id}/${verb}`)
  for (const verb of ['archive', 'unarchive']) await as('POST', `${path}/${id}/${verb}`)
}

async function deploy({ as }: Day): Promise<void> {
  const environment_ref = { slug: newSlug() }
  await as('POST', '/simple/environments', { environment: environment_ref })
  for (const kind of ['workflow', 'application', 'evaluator']) {
    const { plural, data } = KINDS[kind] as (typeof KINDS)[string]
    const made = (await as('POST', `/simple/${plural}`, { [kind]: { slug: newSlug(), data } }))[kind]
    await as('POST', `/${plural}/revisions/deploy`, { [`${kind}_ref`]: { id: made.id }, environment_ref })
  }
}

async function uploadTestsets({ host }: Day): Promise<void> {
  const upload = async (path: string): Promise<any> => {
    const body = new FormData()
    body.append('file', new File([`a,b\n1,${newSlug()}\n`], 'rows.csv'))
    const headers = { authorization: host.authorization }
    return bodyOf(path, await ask(`${inject('target').apiUrl}/api${path}`, { method: 'POST', headers, body }))
  }
  const { testset } = await upload('/simple/testsets/upload')
  await upload(`/simple/testsets/${testset.id}/upload`)
  await upload(`/testsets/revisions/${testset.revision_id}/upload`)
}

async function keepFolders({ as }: Day): Promise<void> {
  const { folder } = await as('POST', '/folders', { folder: { slug: newSlug(), name: 'F' } })
  await as('PUT', `/folders/${folder.id}`, { folder: { id: folder.id, name: 'G' } })
  await as('DELETE', `/folders/${folder.id}`)
}
