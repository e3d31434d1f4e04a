import { NodeFS } from '@electric-sql/pglite/nodefs'

type FilesInit = NodeFS['init']
type Chmod = (path: unknown, mode: number, ...rest: unknown[]) => unknown
type Mknod = (path: string, ...rest: unknown[]) => unknown

interface EmscriptenFiles {
  lookupPath(path: string): { node: unknown }
  /** Throws if the file does not exist. */
  stat(path: string): unknown
  destroyNode(node: unknown): void
}

const OWNER_ONLY = 0o700

/**
 * Makes the files in a folder accessible only to their owner. PGlite's file system sets the requested permissions again
 * on each file it creates, bypassing the process's umask: readable and writable for everyone. It also forgets files
 * that it could not create.
 */
export class PrivateFiles extends NodeFS {
  override async init(...given: Parameters<FilesInit>): ReturnType<FilesInit> {
    const { emscriptenOpts } = await super.init(...given)
    const adapt: NonNullable<typeof emscriptenOpts.preRun>[number] = ({ FS }) => {
      const chmod: Chmod = FS.chmod
      FS.chmod = (path: unknown, mode: number, ...rest: unknown[]) => chmod(path, mode & OWNER_ONLY, ...rest)
      const mknod: Mknod = FS.mknod
      FS.mknod = (path: string, ...rest: unknown[]) => {
        try {
          return mknod(path, ...rest)
        } catch (error) {
          forgetMissing(FS, path)
          throw error
        }
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), adapt] } }
  }
}

/**
 * Emscripten remembers a file before it creates it. One that cannot be created, since there are no descriptors left or
 * the disk is full, would exist for Postgres until the program ends, and yet not open.
 */
function forgetMissing(files: EmscriptenFiles, path: string): void {
  let node: unknown
  try {
    node = files.lookupPath(path).node
    files.stat(path)
  } catch {
    if (node) files.destroyNode(node)
  }
}
