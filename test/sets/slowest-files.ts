import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10

/** Prints which test files took longest, with their setup, at the end of a CI run: where to save time first. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map(module => ({ name: `${module.project.name} ${module.relativeModuleId}`, seconds: secondsOf(module) }))
      .sort((a, b) => b.seconds - a.seconds)
    const sum = files.reduce((total, file) => total + file.seconds, 0)
    console.log(`\nSlowest of ${files.length} files (${sum.toFixed(0)} s one after the other):`)
    for (const { name, seconds } of files.slice(0, SHOWN)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`)
  }
}

function secondsOf(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
  return (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1000
}
