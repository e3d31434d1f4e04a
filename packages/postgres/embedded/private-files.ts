import { NodeFS } from '@electric-sql/pglite/nodefs'

type FilesInit = NodeFS['init']
type Chmod = (path: unknown, mode: number, ...rest: unknown[]) => unknown

const OWNER_ONLY = 0o700

/**
 * Makes the files in a folder accessible only to their owner. PGlite's file system sets the requested permissions again
 * on each file it creates, bypassing the process's umask: readable and writable for everyone.
 */
export class PrivateFiles extends NodeFS {
  override async init(...given: Parameters<FilesInit>): ReturnType<FilesInit> {
    const { emscriptenOpts } = await super.init(...given)
    const restrict: NonNullable<typeof emscriptenOpts.preRun>[number] = ({ FS }) => {
      const chmod: Chmod = FS.chmod
      FS.chmod = (path: unknown, mode: number, ...rest: unknown[]) => chmod(path, mode & OWNER_ONLY, ...rest)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), restrict] } }
  }
}
