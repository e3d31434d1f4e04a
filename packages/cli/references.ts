import { UsageError } from './usage-error.ts'

export type Reference = { id?: string; slug?: string; version?: string }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * References to the layers of an entity, by the layer's name. The text is `SLUG`, `SLUG@VARIANT`,
 * `SLUG@VARIANT:VERSION`, `SLUG:VERSION`, or the id of a revision.
 */
export function referencesTo(family: string, text: string | undefined): Record<string, Reference> {
  const [, slug, variant, version] = /^([^@:]+)(?:@([^@:]+))?(?::(\d+))?$/.exec(text ?? '') ?? []
  if (slug === undefined) {
    const mistake = text === undefined ? `The ${family} is missing` : `'${text}' is not a valid reference`
    throw new UsageError(`${mistake}: give a slug, SLUG@VARIANT:VERSION or a revision's id.`)
  }
  if (variant === undefined && version === undefined && UUID.test(slug)) return { [`${family}_revision`]: { id: slug } }
  return {
    [family]: { slug },
    ...(variant !== undefined && { [`${family}_variant`]: { slug: variant } }),
    ...(version !== undefined && { [`${family}_revision`]: { version } }),
  }
}
