import { registerHooks } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/**
 * Loaded first by servers of tests that start many (`BRIEF_SERVERS`). Optimizing WebAssembly takes 1.5 s of processor
 * time in each, and they ask little of the embedded database. Interpreters start with the first code, not when the
 * process is quiet, which takes 2.5 s in each and is of use to none of them.
 */
for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/when-quiet.ts')
      ? { url: 'data:text/javascript,export const whenQuiet = () => () => undefined', shortCircuit: true }
      : next(specifier, context),
})
