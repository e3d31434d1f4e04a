import { registerHooks } from 'node:module'

/**
 * Loaded first by servers of tests that start many (`BRIEF_SERVERS`): interpreters start with the first code, not when
 * the process is quiet, which takes 2.5 s of processor time in each and is of use to none of them.
 */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/when-quiet.ts')
      ? { url: 'data:text/javascript,export const whenQuiet = () => () => undefined', shortCircuit: true }
      : next(specifier, context),
})
