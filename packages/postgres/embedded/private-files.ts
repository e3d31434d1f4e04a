import { NodeFS } from '@electric-sql/pglite/nodefs'

type FilesInit = NodeFS['init']
type Chmod = (path: unknown, mode: number, ...rest: unknown[]) => unknown

const OWNER_ONLY = 0o700

/**
 * The files in a folder, for their owner only. PGlite's file system gives each file that it makes the rights that were
 * asked for once more, past the process's umask: readable and writable for everybody.
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
