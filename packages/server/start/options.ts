import { fileURLToPath } from 'node:url'

/**
 * V8's options for the program. With smaller young generations, and the few arenas below, large buffers are released,
 * and resident memory is 100 to 200 MB lower. Heaps grow by as much as survived before they are marked again: V8 chooses
 * less for a heap with little to do, and marked all of it after every twenty lists. V8 would also drop the code of
 * functions that were not called for a while, and optimise most functions of a run only after 10,000 runs: see
 * `DECISIONS.md`.
 */
export const START_OPTIONS: readonly string[] = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=100',
  '--no-flush-bytecode',
  '--invocation-count-for-turbofan=1000',
]

/**
 * The most megabytes that may survive in the heap of any thread, where 20 to 80 do. A limit in the caller's NODE_OPTIONS
 * comes later, and so prevails.
 */
const HEAP = '--max-old-space-size=2000'

/** Keeps compiled modules beside the packages: a start takes 6.2 s of processor time instead of 7.9. */
const COMPILED = fileURLToPath(new URL('../../../node_modules/.cache/modules', import.meta.url))

/**
 * The C library returns only buffers of more than 16 MiB as soon as they are freed, and its heap's free end beyond 8.
 * Nearly all bodies of exports are smaller, also those with giant spans: each would cost a page fault for every 4 KiB,
 * see DECISIONS.md.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(16 * 1024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 ** 2),
}

const ENVIRONMENT = { NODE_COMPILE_CACHE: COMPILED, ...MALLOC }

/** The environment to start the program in. What the caller's own environment sets prevails. */
export const startEnvironment = (caller: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...ENVIRONMENT,
  ...caller,
  NODE_OPTIONS: `${HEAP} ${caller.NODE_OPTIONS ?? ''}`,
})
