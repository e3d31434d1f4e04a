import { fileURLToPath } from 'node:url'

/** The numbered SQL files of the schema. */
export const MIGRATIONS_DIR = fileURLToPath(new URL('../../migrations/', import.meta.url))
