import type { Uuid } from '@spanhouse/model'

/** A reference to an entity. Only an id or slug identifies one; a version is relative to a parent. */
export interface Reference {
  id?: Uuid
  slug?: string
  version?: string
}

/** References at each of the three layers, as far as given. */
export interface References {
  artifact?: Reference
  variant?: Reference
  revision?: Reference
}

/** The layers among named references: `application`, `application_variant` and `application_revision`. */
export const layersOf = (named: Readonly<Record<string, Reference | undefined>>, name: string): References => ({
  artifact: named[name],
  variant: named[`${name}_variant`],
  revision: named[`${name}_revision`],
})

export const identifies = (reference: { id?: unknown; slug?: unknown } | undefined): boolean =>
  reference?.id !== undefined || reference?.slug !== undefined

/** A version as stored; -1, which no revision has, for any text but the one that the version is shown as. */
export const versionOf = (text: string): number => (/^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : -1)
