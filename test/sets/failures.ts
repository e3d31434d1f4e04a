import type { Reporter, TestModule } from 'vitest/node'

type Errors = readonly { readonly message: string; readonly stack?: string }[]

/**
 * Prints every test, suite, file and stray error that failed, at the end of a CI run: its log may be read from there.
 */
export default class Failures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], stray: Errors): void {
    for (const module of modules) {
      const name = `${module.project.name} ${module.relativeModuleId}`
      print(name, module.errors())
      for (const suite of module.children.allSuites()) print(`${name} > ${suite.fullName}`, suite.errors())
      for (const test of module.children.allTests('failed'))
        print(`${name} > ${test.fullName}`, test.result().errors ?? [])
    }
    print('outside of any test', stray)
  }
}

function print(name: string, errors: Errors): void {
  for (const { message, stack = message } of errors) {
    const own = stack.split('\n').filter(line => !line.includes('node_modules'))
    console.log(`\nFailed: ${name}\n${own.join('\n')}`)
  }
}
