/**
 * What a WebAssembly instance can reach is what its imports do, so the imports of Pyodide are the wall around Python. While
 * it starts they do what Pyodide wants of them. Then the wall is closed: clocks, random bytes, growth of the memory
 * and reading the standard library remain; the file system says no, and everything else ends the run, above all the
 * functions by which Python calls JavaScript. What remains keeps no state but open files, which `python.ts` closes.
 */
export class ImportWall {
  #closed = false

  close(): void {
    this.#closed = true
  }

  /** The imports with the wall in front of each function. `memory` is that of Pyodide's main instance. */
  behind(imports: WebAssembly.Imports, memory: () => WebAssembly.Memory): WebAssembly.Imports {
    const walled = Object.entries(imports).map(([module, members]) => [module, this.#behindEach(members, memory)])
    return Object.fromEntries(walled) as WebAssembly.Imports
  }

  /** Some of Pyodide's imports are a Proxy that makes members when they are asked for, so this is one too. */
  #behindEach(members: WebAssembly.ModuleImports, memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
    return new Proxy(members, {
      get: (_members, name: string) => {
        const open = members[name]
        if (DATA.some(kind => open instanceof kind)) return open
        const closed = closedImport(name, open, memory)
        return (...values: number[]) => (this.#closed ? closed(...values) : callable(open)(...values))
      },
    })
  }
}

/** Imports that are no functions. */
const DATA = [WebAssembly.Global, WebAssembly.Memory, WebAssembly.Table, WebAssembly.Tag]

type Import = (...values: number[]) => unknown

/** Wrapped functions that suspend the caller are no functions; nothing that is run here suspends. */
const callable = (open: WebAssembly.ImportValue | undefined): Import =>
  typeof open === 'function' ? (open as Import) : denied('suspending')

// Error numbers of the C library.
const BAD_FILE_DESCRIPTOR = 8
const NO_ENTRY = 44
const NOT_A_TERMINAL = 59
const NOT_PERMITTED = 63

/** Clocks and time zones (the process is in UTC), random bytes, memory, and calls inside the instance. */
const HARMLESS = new Set([
  'clock_time_get',
  'clock_res_get',
  'emscripten_get_now',
  'emscripten_date_now',
  '_tzset_js',
  '_localtime_js',
  '_gmtime_js',
  '_mktime_js',
  '_timegm_js',
  'random_get',
  'emscripten_resize_heap',
  'emscripten_get_heap_max',
  '_PyEM_TrampolineCall_JS',
  'environ_get',
  'environ_sizes_get',
  '__syscall_getuid32_js',
  '__syscall_getcwd',
  '__syscall_stat64',
  '__syscall_lstat64',
  '__syscall_fstat64',
  '__syscall_newfstatat',
  '__syscall_faccessat',
  '__syscall_readlinkat',
  '__syscall_getdents64',
  'fd_fdstat_get',
])

/** They work on files that the run has opened itself, never on the standard ones. */
const ON_OPENED_FILES = new Set(['fd_read', 'fd_pread', 'fd_seek', 'fd_close', '__syscall_fcntl64'])

function closedImport(
  name: string,
  open: WebAssembly.ImportValue | undefined,
  memory: () => WebAssembly.Memory,
): Import {
  const original = callable(open)
  if (HARMLESS.has(name)) return original
  if (ON_OPENED_FILES.has(name))
    return (...values) => ((values[0] ?? 0) < 3 ? BAD_FILE_DESCRIPTOR : original(...values))
  if (name === '__syscall_openat') return openLibrary(original, memory)
  if (name === 'fd_write') return (fd, list, count, written) => swallow(memory(), { fd, list, count, written })
  if (name === '__syscall_ioctl') return () => -NOT_A_TERMINAL
  if (name === '_Py_CheckEmscriptenSignals_Helper') return () => 0
  if (name.startsWith('__syscall_')) return () => -NOT_PERMITTED
  if (name.startsWith('fd_')) return () => NOT_PERMITTED
  return denied(name)
}

/** Ends the run: the exception leaves the instance, whatever is on its stack. */
const denied =
  (name: string): Import =>
  () => {
    throw new DeniedError(name)
  }

export class DeniedError extends Error {
  constructor(name: string) {
    super(`denied: ${name}`)
  }
}

const LIBRARY = /^\/lib\/python[^/]*(?:\/(?!\.\.)[^/]+)*$/
const PATH_BYTES_MAX = 4096

/** Opens the standard library for reading (flags without any for writing, creating or truncating) and nothing else. */
function openLibrary(original: Import, memory: () => WebAssembly.Memory): Import {
  return (...values) => {
    const [, path = 0, flags = 0] = values
    if ((flags & ~READING_FLAGS) !== 0) return -NOT_PERMITTED
    return LIBRARY.test(cString(memory(), path)) ? original(...values) : -NO_ENTRY
  }
}

/** Large files, close on exec, directories, no following of links. */
const READING_FLAGS = 0o100000 | 0o2000000 | 0o200000 | 0o400000

function cString({ buffer }: WebAssembly.Memory, at: number): string {
  const bytes = Buffer.from(buffer).subarray(at >>> 0, (at >>> 0) + PATH_BYTES_MAX)
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
}

interface Written {
  fd: number | undefined
  list: number | undefined
  count: number | undefined
  written: number | undefined
}

/** `print`: all of it counts as written, and it is gone. */
function swallow({ buffer }: WebAssembly.Memory, { fd = 0, list = 0, count = 0, written = 0 }: Written): number {
  if (fd !== 1 && fd !== 2) return BAD_FILE_DESCRIPTOR
  const view = new DataView(buffer)
  let bytes = 0
  for (let index = 0; index < count; index++) bytes += view.getUint32((list >>> 0) + index * 8 + 4, true)
  view.setUint32(written >>> 0, bytes, true)
  return 0
}
