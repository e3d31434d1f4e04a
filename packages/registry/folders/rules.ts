import { invalid } from '@spanhouse/model'

/** What a folder is for. There is only one use so far. */
export const FOLDER_KINDS = ['applications'] as const
export type FolderKind = (typeof FOLDER_KINDS)[number]

const SLUG_LENGTH_MAX = 64
const DEPTH_MAX = 10
/** Folders in one project. */
export const FOLDERS_MAX = 10_000

/** Letters and digits of any script. */
const NAME = /^[\p{L}\p{M}\p{N}_ -]+$/u

/** Throws a 400 unless the text is a valid folder name. */
export function requireName(name: string | null | undefined): string {
  if (name == null || name.trim() === '') throw invalid('folder.name is required')
  if (!NAME.test(name)) throw invalid('folder.name: only letters, digits, spaces, hyphens and underscores are allowed')
  return name
}

/** Throws a 400 unless the text is a valid path segment. */
export function requireSlug(slug: string): string {
  if (slug.length > SLUG_LENGTH_MAX) throw invalid(`folder.slug: must have at most ${SLUG_LENGTH_MAX} characters`)
  if (slug.includes('.')) throw invalid('folder.slug: must not contain a dot, which separates folders in a path')
  return slug
}

/** The path of a folder: the slugs from the root down, joined by dots. */
export const pathOf = (parentPath: string | undefined, slug: string): string =>
  parentPath === undefined ? slug : `${parentPath}.${slug}`

export const depthOf = (path: string): number => path.split('.').length

/** Throws a 400 if folders would be nested too deeply. */
export function requireDepth(depth: number): void {
  if (depth > DEPTH_MAX) throw invalid(`folder.parent_id: folders may be nested at most ${DEPTH_MAX} levels deep`)
}

/** Whether a path equals another or is below it. */
export const isWithin = (path: string, other: string): boolean => path === other || path.startsWith(`${other}.`)
