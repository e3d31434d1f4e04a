import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isObject } from '../api/registry/registry.ts'
import { visible } from '../format/format.ts'
import { parsed } from './messages.ts'

/** What a span refers to, by the role it has: `application`, `testset_revision`, … */
export interface Reference {
  key: string
  id?: string
  slug?: string
  version?: string
}

/** The references in the JSON text that a span has of them. */
export function referencesIn(text: string | undefined): Reference[] {
  const list = text === undefined ? [] : parsed(text)
  if (!Array.isArray(list)) return []
  return list.filter(isObject).flatMap(({ id, slug, version, attributes }) => {
    const key = isObject(attributes) ? attributes.key : undefined
    if (typeof key !== 'string') return []
    const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
    return { key, id: asText(id), slug: asText(slug), version: asText(version) }
  }) as Reference[]
}

/** The artifacts that a trace refers to, each with a link to its screen where it has one. */
export const References = ({ references }: { references: readonly Reference[] }): ReactNode =>
  references
    .filter(({ key }) => !key.endsWith('_variant') && !key.endsWith('_revision') && key !== 'testcase')
    .map(({ key, id, slug }) => (
      <div key={key}>
        <dt>{visible(key.charAt(0).toUpperCase() + key.slice(1))}</dt>
        <dd>
          <Referred kind={key} id={id} name={visible(slug ?? id ?? '')} revision={revisionOf(references, key)} />
        </dd>
      </div>
    ))

/** The revision of an artifact that a trace refers to. */
export const revisionOf = (references: readonly Reference[], key: string): Reference | undefined =>
  references.find(one => one.key === `${key}_revision`)

interface ReferredProps {
  kind: string
  id: string | undefined
  name: string
  revision: Omit<Reference, 'key'> | undefined
}

/** The name of an artifact, as a link to its screen where it has one. */
export function Referred({ kind, id, name, revision }: ReferredProps): ReactNode {
  const version = revision?.version ? ` v${visible(revision.version)}` : ''
  const shown = `${name}${version}`
  if (id === undefined) return shown
  if (kind === 'application' || kind === 'evaluator')
    return (
      <Link to="/playground/$kind/$id" params={{ kind: `${kind}s`, id }} search={{ columns: revision?.id }}>
        {shown}
      </Link>
    )
  if (kind === 'testset')
    return (
      <Link to="/testsets/$id" params={{ id }} search={{ revision: revision?.id }}>
        {shown}
      </Link>
    )
  return shown
}
