import { setFlagsFromString } from 'node:v8'

/**
 * Loaded first by servers of tests that start many (`BRIEF_SERVERS`): optimizing WebAssembly takes 1.5 s of processor time in each,
 * and they ask little of the embedded database.
 */
for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
