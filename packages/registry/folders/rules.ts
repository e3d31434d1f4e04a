import { invalid } from '@spanhouse/model'

/** What a folder is for. There is one use so far. */
export const FOLDER_KINDS = ['applications'] as const
export type FolderKind = (typeof FOLDER_KINDS)[number]

const SLUG_LENGTH_MAX = 64
const DEPTH_MAX = 10
/** Folders of one project. */
export const FOLDERS_MAX = 10_000

/** Letters and digits of any script. */
const NAME = /^[\p{L}\p{M}\p{N}_ -]+$/u

/** Throws a 400 unless this can be a folder's name. */
export function requireName(name: string | null | undefined): string {
  if (name == null || name.trim() === '') throw invalid('folder.name is required')
  if (!NAME.test(name)) throw invalid('folder.name: letters, digits, spaces, hyphens and underscores only')
  return name
}

/** Throws a 400 unless this can be one step of a path. */
export function requireSlug(slug: string): string {
  if (slug.length > SLUG_LENGTH_MAX) throw invalid(`folder.slug: longer than ${SLUG_LENGTH_MAX} characters`)
  if (slug.includes('.')) throw invalid('folder.slug: a dot would look like a folder inside another')
  return slug
}

/** Where a folder stands: the slugs from the root down, joined by dots. */
export const pathOf = (parentPath: string | undefined, slug: string): string =>
  parentPath === undefined ? slug : `${parentPath}.${slug}`

export const depthOf = (path: string): number => path.split('.').length

/** Throws a 400 when folders would be nested deeper than they may. */
export function requireDepth(depth: number): void {
  if (depth > DEPTH_MAX) throw invalid(`folder.parent_id: folders nested more than ${DEPTH_MAX} deep`)
}

/** Whether a path is another one or lies below it. */
export const isWithin = (path: string, other: string): boolean => path === other || path.startsWith(`${other}.`)
